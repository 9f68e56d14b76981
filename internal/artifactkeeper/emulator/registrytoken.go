package emulator

import (
	"mime"
	"net/http"
	"strings"
	"time"
)

type registryTokenAnswer struct {
	Token       string    `json:"token"`
	AccessToken string    `json:"access_token"`
	ExpiresIn   int64     `json:"expires_in"`
	IssuedAt    time.Time `json:"issued_at"`
}

// registryToken is the token endpoint of /v2: a token for the credential that
// the request carries, in the Authorization header or in an OAuth 2 form, and
// one that reads what is public for a request without any. The scope that is
// asked for does not matter; rights are looked up when the token is used.
func registryToken(c *call) (any, error) {
	s := c.server
	if method := c.request.Method; method != http.MethodGet && method != http.MethodPost {
		return nil, &distributionError{status: http.StatusMethodNotAllowed, code: "UNSUPPORTED", message: "the operation is unsupported"}
	}
	query := c.request.URL.Query()
	if query.Has("service") && query.Get("service") != registryService {
		return nil, &distributionError{status: http.StatusBadRequest, code: "DENIED", message: "service mismatch"}
	}
	now := s.options.Now()
	caller, presented := c.registryCredential()
	if !presented {
		return registryTokenAnswer{anonymousToken, anonymousToken, int64(DefaultTokenTTL.Seconds()), s.now()}, nil
	}
	if caller == nil {
		return nil, &distributionError{
			status: http.StatusUnauthorized, code: "UNAUTHORIZED", message: "invalid username or password",
		}
	}
	fresh := caller.session // with its limits: a swap never widens
	fresh.expires = now.Add(s.options.AccessTokenTTL)
	if end := caller.session.expires; !end.IsZero() && end.Before(fresh.expires) {
		fresh.expires = end
	}
	token := newSecret("ak_pull_")
	s.sessions.add(token, fresh)
	return registryTokenAnswer{token, token, int64(fresh.expires.Sub(now) / time.Second), s.now()}, nil
}

// registryCredential is the caller of the token endpoint, and whether there
// was a credential at all.
func (c *call) registryCredential() (*principal, bool) {
	if header := c.request.Header.Get("Authorization"); header != "" && header != "Bearer "+anonymousToken {
		return c.server.credential(header)
	}
	media, _, _ := mime.ParseMediaType(c.request.Header.Get("Content-Type"))
	if c.request.Method != http.MethodPost || !strings.EqualFold(media, "application/x-www-form-urlencoded") {
		return nil, false
	}
	if err := c.request.ParseForm(); err != nil {
		return nil, false
	}
	username, password := c.request.PostForm.Get("username"), c.request.PostForm.Get("password")
	if username == "" || password == "" {
		return nil, false
	}
	if account := c.server.checkPassword(username, password); account != nil {
		return &principal{account: account, session: session{accountID: account.ID, login: true}}, true
	}
	return c.server.lookup(password), true
}
