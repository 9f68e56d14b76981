package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

// credential is what the registry gives for a token (registry API, POST /auth/ci/token).
type credential struct {
	Username    string `json:"username"`
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
}

// exchange presents a token of a ServiceAccount. What the registry says to a token that it does not take becomes the error,
// without the token.
func (s *settings) exchange(ctx context.Context, token string) (credential, error) {
	var body io.Reader = http.NoBody
	if s.providerID != "" {
		text, err := json.Marshal(map[string]string{"provider_id": s.providerID})
		if err != nil {
			return credential{}, err
		}
		body = bytes.NewReader(text)
	}
	address := s.url.JoinPath("api/v1/auth/ci/token").String()
	// #nosec G704 -- whoever writes the kubelet's file says where the registry is.
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	if err != nil {
		return credential{}, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if s.providerID != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := s.client.Do(request) // #nosec G704 -- as above
	if err != nil {
		return credential{}, fmt.Errorf("exchanging the token: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return credential{}, fmt.Errorf("exchanging the token at %s: reading the answer: %w", address, err)
	}
	if response.StatusCode != http.StatusOK {
		text = bytes.ReplaceAll(text, []byte(token), []byte("(token)"))
		return credential{}, fmt.Errorf("%s refuses the token: %s: %s", address, response.Status, words(text))
	}
	var answer credential
	if err := json.Unmarshal(text, &answer); err != nil {
		return credential{}, fmt.Errorf("%s answers with something else than JSON", address) // the text may hold a secret
	}
	if answer.Username == "" || answer.AccessToken == "" {
		return credential{}, errors.New(address + " answers without username or access_token")
	}
	return answer, nil
}

// words is what a refusal says: code and message, or the beginning of a body of another shape.
func words(body []byte) string {
	var shape struct{ Code, Message string }
	if json.Unmarshal(body, &shape) == nil && shape.Message != "" {
		return shape.Code + ": " + shape.Message
	}
	return string(body[:min(len(body), 200)])
}
