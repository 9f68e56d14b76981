package splice

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// locateJSON finds the elements of the member providers. YAML's parser would not do: it refuses some JSON, such as
// characters escaped as surrogates.
func locateJSON(text []byte) (list, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return nil, &UnsupportedError{Reason: err.Error()}
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, &UnsupportedError{Reason: err.Error()}
		}
		if name == "providers" {
			return jsonArray(text, decoder)
		}
		var other json.RawMessage
		if err := decoder.Decode(&other); err != nil {
			return nil, &UnsupportedError{Reason: err.Error()}
		}
	}
	return nil, &UnsupportedError{Reason: "it has no list of providers"}
}

func jsonArray(text []byte, decoder *json.Decoder) (list, error) {
	if open, err := decoder.Token(); err != nil || open != json.Delim('[') {
		return nil, &UnsupportedError{Reason: "its providers are no list"}
	}
	found := &flow{text: text, json: true, open: int(decoder.InputOffset())}
	for decoder.More() {
		var element json.RawMessage
		if err := decoder.Decode(&element); err != nil {
			return nil, &UnsupportedError{Reason: fmt.Sprintf("providers[%d]: %s", len(found.elements), err)}
		}
		end := int(decoder.InputOffset())
		found.elements = append(found.elements, span{start: end - len(element), end: end})
	}
	return found, nil
}
