package splice_test

import (
	"bytes"
	"testing"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/splice"
)

// FuzzChange puts a provider into any text and takes it out again, and takes out every other one by itself.
func FuzzChange(f *testing.F) {
	for _, text := range documents(f) {
		f.Add([]byte(text), "-v")
	}
	for _, layout := range layouts {
		for _, replacer := range breaks {
			before, after := split(f, replacer.Replace(layout))
			f.Add([]byte(before), "multi\nline\n")
			f.Add([]byte(after), "\u2028 #'\"")
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, arg string) {
		config, err := splice.Read(text)
		if err != nil {
			if _, err := splice.Change(text, nil, nil); err == nil {
				t.Fatal("a text that cannot be read was changed")
			}
			return
		}
		for i, p := range config.Providers {
			without, err := splice.Change(text, []string{p.Name}, nil)
			if err == nil && !isPart(string(without), string(text)) {
				t.Fatalf("without %d something is new:\n%s", i, without)
			}
			_ = splice.Line(text, i)
		}
		with, err := splice.Change(text, nil, []kubeletconfig.Provider{provider("ours", arg), provider("more")})
		if err != nil {
			return
		}
		if !isPart(string(text), string(with)) {
			t.Fatalf("something of the others is gone:\n%s", with)
		}
		without, err := splice.Change(with, []string{"ours", "more"}, nil)
		if err != nil {
			t.Fatalf("what was put in cannot be taken out: %v\n%s", err, with)
		}
		if !bytes.Equal(without, text) {
			t.Fatalf("before:\n%q\nafter:\n%q", text, without)
		}
	})
}
