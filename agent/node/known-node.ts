/** What the agent knows of its Node, with the API and without it. Source: kubernetes v1.34 pkg/kubelet `getNodeAnyWay`. */
import type { Node } from '../../shared/kube/types/core.ts';
import { createLane } from '../lane.ts';
import type { NodeCopies } from '../ports/api/node-copies.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import { type Known, known, NOT_KNOWN } from '../rules/known.ts';
import { nodeCopyText, parseNodeCopy } from '../rules/node/node-copy.ts';
import type { ReportedNode } from '../rules/node/reported-status.ts';

export interface KnownNodeDeps {
  /** As the API said last. */
  seen(): ReportedNode | undefined;
  readonly copies: NodeCopies;
  /** Of the Node that this machine has joined as. */
  uid(): string;
  /** The Node as the agent would register it. Rejects if the machine cannot be read. */
  build(): Promise<Node>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Log;
}

export interface KnownNode {
  /** The Node as the API said last, else as the copy has it, else as the agent would register it. */
  latest(): Known<ReportedNode>;
  /** Resolves when the Node is known, or when `signal` aborts. Asks nothing of the API. */
  learn(signal: AbortSignal): Promise<void>;
  /** The API has said what the Node is: the copy follows. */
  keep(node: ReportedNode): void;
}

const RETRY_MS = 1_000;

/** Writes one copy after the other, each only if it says something else. */
const createKeeper = ({ copies, log }: KnownNodeDeps): KnownNode['keep'] => {
  let last: string | undefined;
  const lane = createLane(1);
  const write = async (text: string): Promise<void> => {
    try {
      await copies.store(text);
    } catch (error) {
      last = undefined;
      log('the copy of the Node could not be written', error);
    }
  };
  return (node) => {
    const text = nodeCopyText(node);
    if (text === last) return;
    last = text;
    lane.add(() => write(text));
  };
};

export const createKnownNode = (deps: KnownNodeDeps): KnownNode => {
  let own: ReportedNode | undefined;
  const latest = (): Known<ReportedNode> => {
    const node = deps.seen() ?? own;
    return node ? known(node) : NOT_KNOWN;
  };
  const copied = async (): Promise<ReportedNode | undefined> => {
    const text = await deps.copies.load();
    return text === undefined ? undefined : parseNodeCopy(text, deps.uid());
  };
  const tryLearn = async (): Promise<void> => {
    try {
      own = (await copied()) ?? (await deps.build());
    } catch (error) {
      deps.log('the Node is not known yet, and static pods wait for it', error);
      await deps.clock.sleep(RETRY_MS);
    }
  };
  return {
    latest,
    learn: async (signal) => {
      while (!(signal.aborted || latest().isKnown)) await tryLearn();
    },
    keep: createKeeper(deps),
  };
};
