/** What the managers of CPUs and memory have kept over a start of the agent. */
import { quote } from '../../shared/kube/text/go-quote.ts';
import type { CheckpointStore } from '../ports/pods/pod-resources.ts';
import { ResourceFault } from './owners.ts';

/** The file of one manager. */
export interface KeptFile<State> {
  readonly name: string;
  /** Of what, as a kubelet names it. */
  readonly of: 'CPU' | 'memory';
  /** What there is before the first start. */
  readonly empty: State;
  read(text: string, policyName: string): State | { readonly error: string };
}

/** Reads the file. Throws a `ResourceFault` with what to do if it is damaged or of another policy. */
export const restoreState = <State extends object>(
  store: CheckpointStore,
  file: KeptFile<State>,
  policyName: string,
): State => {
  const text = store.read(file.name);
  const kept = text === undefined ? file.empty : file.read(text, policyName);
  if (!('error' in kept)) return kept;
  throw new ResourceFault(
    `could not restore state from checkpoint: ${kept.error}, please drain this node and delete the ${file.of} manager checkpoint file ${quote(store.path(file.name))} before restarting Kubelet`,
  );
};

/** What a manager starts with. Throws a `ResourceFault` if what was kept does not fit the machine or the configuration. */
export const startedBook = <State extends object>(
  store: CheckpointStore,
  { name, of }: Pick<KeptFile<State>, 'name' | 'of'>,
  started: State | { readonly error: string },
): State & { readonly reusable: Readonly<Record<string, never>> } => {
  if (!('error' in started)) return { ...started, reusable: {} };
  const changed = of === 'CPU' ? 'CPUs' : of;
  throw new ResourceFault(
    `start ${of.toLowerCase()} manager error: ${started.error}: drain this node and delete the file ${quote(store.path(name))}, or undo the change of ${changed} or of the configuration`,
  );
};
