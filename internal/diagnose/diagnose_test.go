package diagnose

import (
	"errors"
	"fmt"
	"testing"
)

type advised struct{ text, advice string }

func (e advised) Error() string  { return e.text }
func (e advised) Advice() string { return e.advice }

func TestError(t *testing.T) {
	cases := []struct {
		err  error
		want string
	}{
		{errors.New("nothing was sent"), "Nothing was sent."},
		{errors.New("GET /x answered 500"), "GET /x answered 500."},
		{errors.New("token_file: it holds no token"), "token_file: it holds no token."},
		{errors.New(`"x" is no id`), `"x" is no id.`},
		{advised{"it failed", "Try again."}, "It failed.\n\nTry again."},
		{fmt.Errorf("while reading: %w", advised{"it failed", "Try again."}), "While reading: it failed.\n\nTry again."},
		{advised{"it failed", ""}, "It failed."},
		{errors.New(""), ""},
	}
	for _, c := range cases {
		got := Error("read", `the group "team"`, c.err)
		if got.Summary() != `Cannot read the group "team"` || got.Detail() != c.want {
			t.Errorf("%q became %q: %q, want %q", c.err, got.Summary(), got.Detail(), c.want)
		}
	}
}
