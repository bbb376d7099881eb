/** The three probes of a container. Source: kubernetes v1.34 pkg/kubelet/prober. */

export type ProbeKind = 'Liveness' | 'Readiness' | 'Startup';

/** What is known of a container by one of its probes. */
export type ProbeResult = 'Success' | 'Failure' | 'Unknown';

/** What counts until the probe has been judged: a container is alive, but not ready, and nobody knows whether it has started. */
export const INITIAL_RESULTS: Readonly<Record<ProbeKind, ProbeResult>> = {
  Liveness: 'Success',
  Readiness: 'Failure',
  Startup: 'Unknown',
};
