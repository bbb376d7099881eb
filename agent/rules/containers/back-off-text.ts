/** What is said of a container that waits to be started again. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `doBackOff`. */

import { goDurationText } from '../../../shared/kube/text/go-duration.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';

/** A pod in a text: `name_namespace(uid)`. */
const podText = ({ metadata: { name, namespace = '', uid = '' } }: Pick<Pod, 'metadata'>): string =>
  `${name}_${namespace}(${uid})`;

/** Message of the waiting state CrashLoopBackOff. */
export const backOffMessage = (pod: Pick<Pod, 'metadata'>, container: string, waitMs: number): string =>
  `back-off ${goDurationText(BigInt(waitMs) * 1_000_000n)} restarting failed container=${container} pod=${podText(pod)}`;

/** Message of the event BackOff. */
export const backOffEvent = (pod: Pick<Pod, 'metadata'>, container: string): string =>
  `Back-off restarting failed container ${container} in pod ${podText(pod)}`;
