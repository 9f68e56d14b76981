package emulator

import (
	"encoding/base64"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// session is what a bearer token stands for.
type session struct {
	accountID string
	expires   time.Time // zero for never
	login     bool      // made by a login, so subject to a due password change
	readOnly  bool      // may pull and nothing else
	ceiling   *[]string // repository ids, nil for no restriction
}

// sessions is the valid bearer tokens.
type sessions map[string]session

func (t sessions) add(token string, s session) { t[token] = s }

// principal is the account behind a request, with the limits of its token.
type principal struct {
	account *Account
	session session
}

// lookup finds the principal of a bearer token. A token that expired, or
// whose account is gone or deactivated, is as good as none.
func (s *Server) lookup(token string) *principal {
	found, ok := s.sessions[token]
	if !ok || (!found.expires.IsZero() && !s.options.Now().Before(found.expires)) {
		return nil
	}
	account, ok := s.store.accounts.get(found.accountID)
	if !ok || !account.IsActive {
		return nil
	}
	return &principal{account: account, session: found}
}

// credential finds the principal of an Authorization header: a bearer token,
// or Basic with the account's password or with a token in its place. The
// second result says whether there was a header at all.
func (s *Server) credential(header string) (*principal, bool) {
	if header == "" {
		return nil, false
	}
	scheme, value, _ := strings.Cut(header, " ")
	switch strings.ToLower(scheme) {
	case "bearer":
		return s.lookup(value), true
	case "basic":
		decoded, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return nil, true
		}
		username, password, _ := strings.Cut(string(decoded), ":")
		if account := s.checkPassword(username, password); account != nil {
			return &principal{account: account, session: session{accountID: account.ID, login: true}}, true
		}
		// The registry takes a token as the password under any name.
		return s.lookup(password), true
	}
	return nil, true
}

// checkPassword finds the active local account of a name and password.
func (s *Server) checkPassword(username, password string) *Account {
	return s.store.accounts.find(func(a *Account) bool {
		return a.Username == username && a.password != "" && a.password == password && a.IsActive
	})
}

// authenticate finds the caller and refuses those whom the route does not
// admit. The refusals come from in front of the handlers: plain text.
func (c *call) authenticate(need access) error {
	if need == anyone {
		return nil
	}
	caller, presented := c.server.credential(c.request.Header.Get("Authorization"))
	switch {
	case caller == nil && presented:
		return invalidToken()
	case caller == nil && need != guests:
		return &plainError{status: http.StatusUnauthorized, message: "Missing authorization header"}
	case caller == nil:
		return nil
	case caller.session.login && caller.account.MustChangePassword:
		return &plainError{
			status:  http.StatusPreconditionRequired,
			message: "Password change required: rotate your password before continuing",
		}
	case need == adminOnly && !caller.account.IsAdmin:
		return adminRequired()
	}
	c.caller = caller
	return nil
}

func invalidToken() error {
	return &plainError{status: http.StatusUnauthorized, message: "Invalid or expired token"}
}

func adminRequired() error {
	return &plainError{status: http.StatusForbidden, message: "Admin access required"}
}

// requireCaller is the check of a handler behind [guests] that needs a caller.
func (c *call) requireCaller() error {
	if c.caller == nil {
		return unauthorized("Authentication required")
	}
	return nil
}

// requireAdmin is the check of a handler that only an administrator may run.
func (c *call) requireAdmin() error {
	if err := c.requireCaller(); err != nil {
		return err
	}
	if !c.caller.account.IsAdmin {
		return forbidden("Admin access required")
	}
	return nil
}

type loginAnswer struct {
	AccessToken        string `json:"access_token"`
	RefreshToken       string `json:"refresh_token"`
	ExpiresIn          int64  `json:"expires_in"`
	TokenType          string `json:"token_type"`
	MustChangePassword bool   `json:"must_change_password"`
	TOTPRequired       bool   `json:"totp_required,omitempty"`
	TOTPToken          string `json:"totp_token,omitempty"`
}

// login answers with a session. An account with a second factor gets a ticket
// for it instead, and empty tokens.
func login(c *call) (any, error) {
	s := c.server
	client, _, _ := net.SplitHostPort(c.request.RemoteAddr)
	if retryAfter, limited := s.logins.admit(client, s.options.Now()); limited {
		return nil, rateLimited(strconv.Itoa(int(retryAfter.Seconds()) + 1))
	}
	in := readBody(c.request)
	username, password := required[string](in, "username"), required[string](in, "password")
	if in.err != nil {
		return nil, in.err
	}
	account := s.checkPassword(username, password)
	if account == nil {
		return nil, unauthorized("Invalid username or password")
	}
	out := loginAnswer{
		ExpiresIn: int64(s.options.AccessTokenTTL.Seconds()), TokenType: "Bearer",
		MustChangePassword: account.MustChangePassword,
	}
	if account.IsAdmin && s.options.TOTPRequired {
		out.TOTPRequired, out.TOTPToken = true, newSecret("ak_totp_")
		return out, nil
	}
	out.AccessToken, out.RefreshToken = newSecret("ak_login_"), newSecret("ak_refresh_")
	s.sessions.add(out.AccessToken, session{
		accountID: account.ID, login: true, expires: s.options.Now().Add(s.options.AccessTokenTTL),
	})
	return out, nil
}

// The registry's limit on logins of one client.
const (
	loginsPerWindow = 10
	loginWindow     = 15 * time.Minute
)

// loginLimiter remembers when each client tried to log in.
type loginLimiter map[string][]time.Time

// admit counts an attempt, or says how long the client has to wait.
func (l *loginLimiter) admit(client string, now time.Time) (time.Duration, bool) {
	if *l == nil {
		*l = loginLimiter{}
	}
	recent := (*l)[client]
	for len(recent) > 0 && !recent[0].After(now.Add(-loginWindow)) {
		recent = recent[1:]
	}
	if len(recent) >= loginsPerWindow {
		(*l)[client] = recent
		return recent[0].Add(loginWindow).Sub(now), true
	}
	(*l)[client] = append(recent, now)
	return 0, false
}
