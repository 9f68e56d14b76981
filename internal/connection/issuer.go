package connection

import (
	"context"
	"time"

	"github.com/aktrust/terraform-provider-aktrust/internal/cluster"
)

// LookTime is for how long a plan waits for what only a warning needs.
const LookTime = 5 * time.Second

// ClusterIssuer is the issuer of the tokens that the cluster issues now, for warnings alone: it is empty when there is no cluster,
// or it is not known yet, or does not say so soon. It is asked once, whatever it answers, so that a plan that destroys everything
// waits once for a cluster that is gone.
func (r *Resource) ClusterIssuer() string {
	if r.data == nil {
		return ""
	}
	return r.data.issuer()
}

// issuerOf asks the cluster. Connecting may take longer than a look is worth, too: its credentials may come from a command.
func issuerOf(connect func() (*cluster.Client, error), wait time.Duration) string {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	answer := make(chan string, 1)
	go func() {
		defer cancel()
		client, err := connect()
		if err != nil {
			return
		}
		if issuer, err := client.Issuer(ctx); err == nil {
			answer <- issuer
		}
	}()
	<-ctx.Done()
	select {
	case issuer := <-answer:
		return issuer
	default:
		return ""
	}
}
