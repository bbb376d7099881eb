/** How long logind has to wait. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown. */
import { goDurationText } from '../../../shared/kube/text/go-duration.ts';

/** The name of the configuration file that lengthens logind's delay. */
export const OVERRIDE_FILE = '99-rollcall-agent.conf';

/** The text of that file. */
export const overrideText = (seconds: number): string =>
  `# Written by the Rollcall agent: logind waits until the pods of this node have ended.\n[Login]\nInhibitDelayMaxSec=${seconds}\n`;

const durationText = (ms: number): string => goDurationText(BigInt(Math.round(ms * 1000)) * 1000n);

/** Why the node cannot be shut down gracefully: logind waits for less than what is asked for, even with its new configuration. */
export const delayTooShort = (requestedMs: number, currentMs: number): string =>
  `node shutdown manager was unable to update logind InhibitDelayMaxSec to ${durationText(requestedMs)} ` +
  `(ShutdownGracePeriod), current value of InhibitDelayMaxSec (${durationText(currentMs)}) is less than requested ShutdownGracePeriod`;
