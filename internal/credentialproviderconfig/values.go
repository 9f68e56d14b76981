package credentialproviderconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/aktrust/terraform-provider-aktrust/internal/attribute"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
)

type (
	// pathType is the type of a path, where "./a//b" is "a/b".
	pathType  = attribute.TextType[pathMeaning]
	pathValue = attribute.Text[pathMeaning]

	// permissionType is the type of permissions in octal, where "644" is "0644".
	permissionType  = attribute.TextType[permissionMeaning]
	permissionValue = attribute.Text[permissionMeaning]
)

type pathMeaning struct{}

func (pathMeaning) Kind() string          { return "Path" }
func (pathMeaning) Same(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) }

type permissionMeaning struct{}

func (permissionMeaning) Kind() string { return "Permission" }

func (permissionMeaning) Same(a, b string) bool {
	left, err := parsePermission(a)
	if err != nil {
		return a == b
	}
	right, err := parsePermission(b)
	return err == nil && left == right
}

// parsePermission reads permissions in octal. What the schema lets a configuration say is at most 0777.
func parsePermission(text string) (fs.FileMode, error) {
	mode, err := strconv.ParseUint(text, 8, 12)
	if err != nil {
		return 0, fmt.Errorf("%q are no permissions in octal", text)
	}
	return fs.FileMode(mode), nil
}

// formatPermission writes permissions the way chmod takes them, the bits for setuid, setgid and sticky included.
func formatPermission(mode fs.FileMode) string {
	octal := uint32(mode.Perm())
	for i, special := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if mode&special != 0 {
			octal |= 0o1000 << i
		}
	}
	return fmt.Sprintf("%04o", octal)
}

// validPath refuses paths that cannot be those of a file, without looking at the disk.
type validPath struct{}

func (validPath) Description(context.Context) string         { return "must be the path of a file" }
func (validPath) MarkdownDescription(context.Context) string { return "must be the path of a file" }

func (validPath) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	var refused *file.PathError
	if err := file.CheckPath(req.ConfigValue.ValueString()); errors.As(err, &refused) {
		resp.Diagnostics.AddAttributeError(req.Path, "Not the path of a file",
			fmt.Sprintf("The path %s. %s", refused, refused.Advice()))
	}
}
