import { chunksOf } from '../../shared/kube/values/chunks-of.ts';
import { remembersShutdown } from '../../shared/rules/shutdown/shutdown-report.ts';
import { sameJson } from '../../shared/store/commit/object-diff.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { isNewlyBound, type Step } from '../contract/step.ts';
import type { PodReadinessMessage, SilencedNode } from './message.ts';

/** The most nodes that one message names. One run looks at all of their pods. */
const NODES_OF_MESSAGE = 10;

/** Seconds until the pods of a silenced node are searched a second time, because the index of pods may lag. */
const SECOND_LOOK_SECONDS = 10;

type Messages = readonly Outgoing<PodReadinessMessage>[];

const isNewlySilenced = ({ before, after }: Step): boolean =>
  after?.facts.node?.silenced === true && before?.facts.node?.silenced !== true;

const ofSilence = (step: Step): Messages => {
  if (!isNewlySilenced(step)) return [];
  const body = { v: 1, kind: 'node', name: step.key.name, uid: step.uid } as const;
  return [{ body }, { body, delaySeconds: SECOND_LOOK_SECONDS }];
};

/** Each phase of a shutdown, which may bring its deadline forward, and its end. */
const ofShutdown = ({ key: { name }, uid, before, after }: Step): Messages => {
  const [was, is] = [before?.facts.node?.shutdown, after?.facts.node?.shutdown];
  if (!after || sameJson(was ?? null, is ?? null)) return [];
  const body = { v: 1, kind: 'shutdown', name, uid } as const;
  const second = { body: { ...body, isSecond: true }, delaySeconds: SECOND_LOOK_SECONDS } as const;
  return was?.id === is?.id ? [{ body }] : [{ body }, second];
};

const ofNode = (step: Step): Messages => [...ofSilence(step), ...ofShutdown(step)];

const ofPod = (step: Step): Messages => {
  const { namespace, name } = step.key;
  return isNewlyBound(step) ? [{ body: { v: 1, kind: 'pod', namespace, name, uid: step.uid } }] : [];
};

type Silence = Messages[number] & { readonly body: { readonly kind: 'node' } };

const isOfSilence = (message: Messages[number]): message is Silence => message.body.kind === 'node';

const joined = (silences: readonly Silence[], delaySeconds: number | undefined): Messages => {
  const nodes = silences
    .filter((message) => message.delaySeconds === delaySeconds)
    .map(({ body: { name, uid } }): SilencedNode => ({ name, uid }));
  const delay = delaySeconds === undefined ? {} : { delaySeconds };
  return chunksOf(nodes, NODES_OF_MESSAGE).map((some) => ({
    body: { v: 1, kind: 'nodes', nodes: some },
    ...delay,
  }));
};

/** An outage silences thousands of nodes at once: together they need a tenth of the messages. */
const merge = (messages: Messages): Messages => {
  const silences = messages.filter(isOfSilence);
  if (silences.length < 3) return messages;
  const delays = new Set(silences.map(({ delaySeconds }) => delaySeconds));
  return [
    ...messages.filter((message) => !isOfSilence(message)),
    ...[...delays].flatMap((delay) => joined(silences, delay)),
  ];
};

/**
 * Messages for nodes that the monitor silenced or that shut down, which only the node's own row says and not the index, and for newly
 * bound pods.
 */
export const routing: Routing<PodReadinessMessage> = {
  route: (step) => {
    if (step.key.resource === 'nodes') return ofNode(step);
    return step.key.resource === 'pods' ? ofPod(step) : [];
  },
  merge,
  resync: async ({ health: { name, ready }, read }) => {
    const row = await read();
    if (!row) return [];
    const of = { v: 1, name, uid: row.uid } as const;
    const { silenced, shutdown } = row.facts.node ?? {};
    const isSilenced = ready === 'Unknown' && silenced === true;
    return [
      ...(isSilenced ? [{ body: { ...of, kind: 'node' } } as const] : []),
      ...(shutdown || remembersShutdown(row.object)
        ? [{ body: { ...of, kind: 'shutdown', isResync: true } } as const]
        : []),
    ];
  },
};
