import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { chunksOf } from '../../shared/kube/values/chunks-of.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import {
  budgetFactsOf,
  DELETION_TIMEOUT_MS,
  hasNewGrant,
} from '../../shared/rules/budgets/disruption-budget.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import type { Step } from '../contract/step.ts';
import type { DisruptionMessage } from './message.ts';

type Messages = readonly Outgoing<DisruptionMessage>[];

const SCALED = ['replicasets', 'statefulsets', 'deployments', 'replicationcontrollers'];

/** Names of pods in one message. */
const BATCH = 500;

/** Seconds until a grant has lapsed, and one more. */
const LAPSED_SECONDS = DELETION_TIMEOUT_MS / 1000 + 1;

const replicasOf = (row: LiveRow | undefined): unknown =>
  row && ((row.object as ApiObject & { spec?: { replicas?: number } }).spec?.replicas ?? 1);

const podFacts = (row: LiveRow | undefined): string => (row ? budgetFactsOf(row.object as Pod) : '');

/** A status that this controller has written changes nothing of what it was computed from. */
const hasNewSpec = ({ before, after }: Step): boolean =>
  after !== undefined && before?.object.metadata.generation !== after.object.metadata.generation;

const hasGrants = ({ before, after }: Step): boolean =>
  after !== undefined && hasNewGrant(before?.object, after.object);

const ofBudget = (step: Step): Messages => {
  const body = { v: 1, namespace: step.key.namespace } as const;
  if (hasGrants(step)) return [{ body }, { body, delaySeconds: LAPSED_SECONDS }];
  return hasNewSpec(step) ? [{ body }] : [];
};

const ofPod = ({ key: { namespace, name }, before, after }: Step): Messages =>
  podFacts(before) === podFacts(after)
    ? []
    : [{ body: { v: 1, namespace, ...(after ? { pods: [name] } : {}) } }];

const ofScaled = ({ key: { namespace }, before, after }: Step): Messages =>
  before !== undefined && replicasOf(before) !== replicasOf(after) ? [{ body: { v: 1, namespace } }] : [];

/** One message for the namespace, or several if more pods have changed than one can name. */
const joinedIn = (namespace: string, messages: Messages): Messages => {
  const pods = [...new Set(messages.flatMap(({ body }) => body.pods ?? []))];
  if (pods.length === 0) return [{ body: { v: 1, namespace } }];
  return chunksOf(pods, BATCH).map((names) => ({ body: { v: 1, namespace, pods: names } }));
};

const isLater = ({ delaySeconds }: Outgoing<DisruptionMessage>): boolean => delaySeconds !== undefined;

/** Messages about budgets, and about pods and owners in whose namespace there may be one. The sweep makes up for lost ones. */
export const routing: Routing<DisruptionMessage> = {
  route: (step) => {
    const { resource } = step.key;
    if (resource === 'poddisruptionbudgets') return ofBudget(step);
    if (resource === 'pods') return ofPod(step);
    return SCALED.includes(resource) ? ofScaled(step) : [];
  },
  resync: async () => [],
  matters: (_, { mayHave }) => mayHave('poddisruptionbudgets'),
  merge: (messages) => {
    const atOnce = Map.groupBy(
      messages.filter((one) => !isLater(one)),
      ({ body }) => body.namespace,
    );
    return [
      ...[...atOnce].flatMap(([namespace, some]) => joinedIn(namespace, some)),
      ...messages.filter(isLater),
    ];
  },
};
