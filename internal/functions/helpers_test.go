package functions_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const testdata = "../kubeletconfig/testdata"

// matchVector and configVector are what the kubelet said to an input.
type (
	matchVector struct {
		Pattern string
		Image   string
		Matches bool
		Error   string
	}
	configVector struct {
		Name     string
		Document string
		Accepted bool
		Error    string
	}
)

func matchVectors(t *testing.T) []matchVector {
	t.Helper()
	return readVectors[matchVector](t, "match-images.json")
}

func configVectors(t *testing.T) []configVector {
	t.Helper()
	return readVectors[configVector](t, "credential-provider-configs.json")
}

func readVectors[T any](t *testing.T, name string) []T {
	t.Helper()
	var vectors []T
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(testdata, name))), &vectors); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(vectors) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return vectors
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// call runs a function as the framework does. Of a variadic function the last argument is a tuple.
func call(t *testing.T, create func() function.Function, arguments ...attr.Value) (attr.Value, *function.FuncError) {
	t.Helper()
	f := create()
	result, err := definition(t, f).Return.NewResultData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resp := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(arguments)}, &resp)
	return resp.Result.Value(), resp.Error
}

func definition(t *testing.T, f function.Function) function.Definition {
	t.Helper()
	var resp function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &resp)
	if resp.Diagnostics.HasError() {
		t.Fatal(resp.Diagnostics)
	}
	return resp.Definition
}

func text(value string) types.String { return types.StringValue(value) }

// texts is a list of texts.
func texts(values ...string) types.List {
	elements := make([]attr.Value, len(values))
	for i, value := range values {
		elements[i] = text(value)
	}
	return types.ListValueMust(types.StringType, elements)
}

// object is an object with the types of its values.
func object(values map[string]attr.Value) types.Object {
	kinds := make(map[string]attr.Type, len(values))
	for name, value := range values {
		kinds[name] = value.Type(context.Background())
	}
	return types.ObjectValueMust(kinds, values)
}

// variadic are the arguments of a variadic parameter of any type. Nil is null.
func variadic(values ...attr.Value) types.Tuple {
	kinds, elements := make([]attr.Type, len(values)), make([]attr.Value, len(values))
	for i, value := range values {
		kinds[i], elements[i] = types.DynamicType, types.DynamicNull()
		if value != nil {
			elements[i] = types.DynamicValue(value)
		}
	}
	return types.TupleValueMust(kinds, elements)
}
