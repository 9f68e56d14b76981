package credentialproviderconfig

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/file"
	"github.com/aktrust/terraform-provider-aktrust/internal/kubeletconfig/splice"
)

func (m model) managesEntries() bool { return m.Manage.ValueString() == manageEntries }

// madeHere are the files that this process made for entries. A run of the CLI is one process: of several resources on a
// file that was not there, all know that it is nobody else's, and the last one to be destroyed takes it away.
var madeHere = madeFiles{paths: map[string]bool{}}

type madeFiles struct {
	mu    sync.Mutex
	paths map[string]bool
}

// make runs what makes the file. Whoever finds the file there, and asks, is told of it.
func (m *madeFiles) make(path string, create func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := create(); err != nil {
		return err
	}
	m.paths[placeOf(path)] = true
	return nil
}

func (m *madeFiles) has(path string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.paths[placeOf(path)]
}

func (m *madeFiles) set(path string, made bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paths[placeOf(path)] = made
}

func placeOf(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	return absolute
}

// createEntries puts the entries into the file, or makes one of them alone where there is none.
func (r *Resource) createEntries(ctx context.Context, plan *model, permissions file.Permissions) (memory, error) {
	return r.putEntries(ctx, plan, nil, memory{Created: true}, permissions)
}

// updateEntries puts the entries in the place of those of before.
func (r *Resource) updateEntries(ctx context.Context, plan *model, prior model, known memory,
	permissions file.Permissions,
) (memory, error) {
	return r.putEntries(ctx, plan, plan.ours(ctx, prior, known), known, permissions)
}

// ours are the names of the providers in the file that are this resource's: of a file that was managed as a whole until
// now, those that the configuration still names. The others become somebody else's.
func (m model) ours(ctx context.Context, prior model, known memory) []string {
	if prior.managesEntries() {
		return known.Names
	}
	want, _, _ := m.entries(ctx)
	return namesOf(want)
}

func namesOf(providers []kubeletconfig.Provider) []string {
	names := make([]string, len(providers))
	for i, provider := range providers {
		names[i] = provider.Name
	}
	return names
}

// putEntries replaces the providers called ours by those of the plan. A missing file is made if it is this resource's.
func (r *Resource) putEntries(ctx context.Context, plan *model, ours []string, known memory, permissions file.Permissions) (memory, error) {
	config, _, _ := plan.config(ctx)
	at := plan.Path.ValueString()
	now := memory{Path: at, Names: namesOf(config.Providers)}
	var content []byte
	put := func(before []byte) (after []byte, err error) {
		found, err := splice.Read(before)
		if err != nil {
			return nil, newUnusableError(before, err)
		}
		// A file in which nothing is ours, though it was there before us, is somebody else's by now.
		now.Created = madeHere.has(at) || known.Created && slices.ContainsFunc(namesOf(found.Providers), func(name string) bool {
			return slices.Contains(ours, name)
		})
		config.APIVersion = found.APIVersion
		if err := checkEntries(config); err != nil {
			return nil, err
		}
		content, err = splice.Change(before, ours, config.Providers)
		return content, noneLeft(err, known.Created)
	}
	err := r.disk.Edit(ctx, at, put)
	if errors.Is(err, fs.ErrNotExist) && !known.Created {
		return memory{}, errGone
	}
	if errors.Is(err, fs.ErrNotExist) {
		now.Created = true
		content, err = r.makeFile(config, at, permissions)
	}
	if errors.Is(err, fs.ErrExist) {
		// Another resource of the same apply was faster.
		err = r.disk.Edit(ctx, at, put)
	}
	if err != nil {
		return memory{}, err
	}
	if plan.Content.IsUnknown() {
		plan.hold(string(content))
	}
	if plan.APIVersion.IsUnknown() {
		plan.APIVersion = types.StringValue(config.APIVersion)
	}
	return now, nil
}

// makeFile makes a file of these entries alone.
func (r *Resource) makeFile(config kubeletconfig.Config, at string, permissions file.Permissions) ([]byte, error) {
	if len(config.Providers) == 0 {
		return nil, errNothingToMake
	}
	content, err := render(config, at)
	if err != nil {
		return nil, err
	}
	return []byte(content), madeHere.make(at, func() error { return r.disk.Create(at, []byte(content), permissions) })
}

// checkEntries is [kubeletconfig.Validate] for entries, of which there may be none.
func checkEntries(config kubeletconfig.Config) error {
	if len(config.Providers) == 0 {
		return nil
	}
	return kubeletconfig.Validate(config)
}

// deleteEntries takes the entries out of the file, and the file away where they are all that is in it.
func (r *Resource) deleteEntries(ctx context.Context, state model, known memory) error {
	planned, _, diags := state.entries(ctx)
	if diags.HasError() {
		return errors.New("the providers in the state cannot be read")
	}
	at := state.Path.ValueString()
	if known.Created {
		// Whoever is the last to go has to know.
		madeHere.set(at, true)
	}
	removed := false
	err := r.disk.Edit(ctx, at, func(content []byte) ([]byte, error) {
		found, err := splice.Read(content)
		if err != nil {
			return nil, newUnusableError(content, err)
		}
		for _, provider := range found.Providers {
			// What the plan has shown is to go, and nothing else.
			if slices.Contains(known.Names, provider.Name) && !slices.ContainsFunc(planned, provider.Equal) {
				return nil, &file.ChangedError{Path: at}
			}
		}
		after, err := splice.Change(content, known.Names, nil)
		if removed = errors.Is(err, splice.ErrNoneLeft) && madeHere.has(at); removed {
			return nil, nil
		}
		return after, noneLeft(err, false)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && removed {
		madeHere.set(at, false)
	}
	return err
}

// takeEntries takes over what stands on the disk of what is ours. The rest of the file is not looked at for changes; but
// its content and its hash are those of the whole.
func (m *model) takeEntries(ctx context.Context, found file.File, known memory) diag.Diagnostics {
	config, err := splice.Read(found.Content)
	if err != nil {
		return m.warnOfLoss(newUnusableError(found.Content, err))
	}
	m.derive()
	m.hold(string(found.Content))
	m.APIVersion = types.StringValue(config.APIVersion)
	ours := []kubeletconfig.Provider{}
	for _, provider := range config.Providers {
		if slices.Contains(known.Names, provider.Name) {
			ours = append(ours, provider)
		}
	}
	providers, diags := newEntries(ctx, ours, m.Providers)
	m.Providers = providers
	return diags
}
