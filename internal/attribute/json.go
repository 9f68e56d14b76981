package attribute

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// precision is that of numbers in Terraform: enough for 154 digits.
const precision = 512

// toJSON returns a fully known value as encoding/json has it: lists, sets and tuples are arrays, maps and objects are
// objects, and a null of any type is null. Numbers keep their digits (json.Number).
func toJSON(value tftypes.Value) (any, error) {
	if value.IsNull() {
		return nil, nil
	}
	switch kind := value.Type(); {
	case kind.Is(tftypes.String):
		var text string
		err := value.As(&text)
		return text, err
	case kind.Is(tftypes.Bool):
		var truth bool
		err := value.As(&truth)
		return truth, err
	case kind.Is(tftypes.Number):
		number := new(big.Float)
		if err := value.As(&number); err != nil {
			return nil, err
		}
		return jsonNumber(number)
	case kind.Is(tftypes.List{}), kind.Is(tftypes.Set{}), kind.Is(tftypes.Tuple{}):
		return jsonArray(value)
	case kind.Is(tftypes.Map{}), kind.Is(tftypes.Object{}):
		return jsonObject(value)
	}
	return nil, fmt.Errorf("a value of type %s cannot be written as JSON", value.Type())
}

func jsonArray(value tftypes.Value) (any, error) {
	var elements []tftypes.Value
	if err := value.As(&elements); err != nil {
		return nil, err
	}
	out := make([]any, len(elements))
	for i, element := range elements {
		var err error
		if out[i], err = toJSON(element); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func jsonObject(value tftypes.Value) (any, error) {
	var members map[string]tftypes.Value
	if err := value.As(&members); err != nil {
		return nil, err
	}
	out := make(map[string]any, len(members))
	for name, member := range members {
		var err error
		if out[name], err = toJSON(member); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// jsonNumber writes a number with the digits that the user wrote: integers in full, decimals as short as they stay the
// same number. Beyond what a float64 reaches it is written with an exponent, to keep the text short.
func jsonNumber(number *big.Float) (json.Number, error) {
	if number.IsInf() {
		return "", fmt.Errorf("an infinite number cannot be written as JSON")
	}
	if number.Sign() == 0 {
		return "0", nil // also for the -0 that only this library knows; Terraform has one zero
	}
	const most = 1100
	if exponent := number.MantExp(nil); exponent > most || exponent < -most {
		return json.Number(number.Text('e', -1)), nil
	}
	return json.Number(number.Text('f', -1)), nil
}

// fromJSON returns the value that a user would write for JSON, and its type: arrays are tuples, because their elements
// may differ in type, and null is a null without a type.
func fromJSON(value any) (attr.Value, attr.Type) {
	switch value := value.(type) {
	case string:
		return basetypes.NewStringValue(value), basetypes.StringType{}
	case bool:
		return basetypes.NewBoolValue(value), basetypes.BoolType{}
	case json.Number:
		number, _, err := big.ParseFloat(value.String(), 10, precision, big.ToNearestEven)
		if err != nil {
			number = new(big.Float) // the caller finds that it is not the same
		}
		return basetypes.NewNumberValue(number), basetypes.NumberType{}
	case []any:
		values, types := make([]attr.Value, len(value)), make([]attr.Type, len(value))
		for i, element := range value {
			values[i], types[i] = fromJSON(element)
		}
		return basetypes.NewTupleValueMust(types, values), basetypes.TupleType{ElemTypes: types}
	case map[string]any:
		values, types := make(map[string]attr.Value, len(value)), make(map[string]attr.Type, len(value))
		for name, member := range value {
			values[name], types[name] = fromJSON(member)
		}
		return basetypes.NewObjectValueMust(types, values), basetypes.ObjectType{AttrTypes: types}
	}
	return basetypes.NewDynamicNull(), basetypes.DynamicType{}
}
