/** GET of the subresource `explain` of Nodes, Pods and Zones. Nothing is stored or written. */
import { notFound } from '../../kube/errors/status-error.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { type LiveRow, liveRow, nodeKey } from '../../ports/store/rows.ts';
import type { Answer, Fact, Next } from '../../rules/explain/explanation.ts';
import { withHolds } from '../../rules/explain/held.ts';
import { hidden } from '../../rules/explain/hidden.ts';
import { explainZone as explain } from '../../rules/explain/zone/zone.ts';
import { type HoldTarget, targetOf } from '../../rules/holds/held-by.ts';
import { DEFAULT_SCHEDULER } from '../../rules/scheduling/pending.ts';
import { labelsOfZone } from '../../rules/zones/zone-names.ts';
import { HOLDS } from '../../store/holds/settle-holds.ts';
import { readBook } from '../../store/writer/known-holds.ts';
import { accessFacts } from '../access/access-facts.ts';
import { decideResourceAccess } from '../access/authorization.ts';
import { type Call, type Handle, subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok, type Answer as Response } from '../contract/http.ts';
import { keyOf } from '../verbs/create.ts';
import type { ExplainDeps, MayRead } from './explain-deps.ts';
import { explainNode } from './explain-node.ts';
import { explainPod } from './explain-pod.ts';
import { readZones } from './read-zone.ts';
import { changeText, factText, verdictText } from './words.ts';

/** What is explained. */
interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
}

const mayReadAs = ({ user }: Call, deps: ApiServerDeps): MayRead => {
  const facts = accessFacts(deps, '');
  return async (access) => {
    const verb = access.name === '' ? 'list' : 'get';
    const { decision } = await decideResourceAccess(user, { verb, subresource: '', ...access }, facts);
    return decision === 'allow';
  };
};

const explainDeps = (call: Call, deps: ApiServerDeps): ExplainDeps => {
  const { nodeLifecycle, schedulerName = DEFAULT_SCHEDULER, disableForceDetachOnTimeout } = deps.config;
  const config = { nodeLifecycle, schedulerName, disableForceDetachOnTimeout };
  return { ...deps, config, mayRead: mayReadAs(call, deps) };
};

/** Where no controllers run, nothing happens next. */
const withoutControllers = (answer: Answer): Answer => {
  const { next: _next, because, ...others } = answer;
  return { ...others, because: [{ fact: 'NoControllers', source: 'setting controllers' }, ...because] };
};

const timeOf = (at: EpochMs | undefined): string | undefined => (at === undefined ? undefined : toTime(at));

const factObject = (fact: Fact) => ({
  fact: fact.fact,
  message: factText(fact),
  ...optional('time', timeOf(fact.at)),
  ...optional('values', fact.values),
  source: fact.source,
  ...optional('rule', fact.rule),
});

const nextObject = ({ verdict, at, withinMs }: Next) => ({
  verdict,
  message: verdictText(verdict),
  time: toTime(at),
  ...optional('withinSeconds', withinMs === undefined ? undefined : withinMs / 1000),
});

const answerObject = ({ question, about, verdict, since, because, next, wouldChange }: Answer) => ({
  question,
  ...optional('about', about),
  verdict,
  message: verdictText(verdict),
  ...optional('since', timeOf(since)),
  because: because.map(factObject),
  ...optional('next', next && nextObject(next)),
  wouldChange: wouldChange.map((change) => ({ change, message: changeText(change) })),
});

/** The Explanation of a subject at an instant (ms), as an object of the API: data, and a sentence beside each of them. */
const explanationObject = (subject: Subject, answers: readonly Answer[], now: EpochMs) => ({
  kind: 'Explanation',
  apiVersion: 'rollcall.dev/v1',
  metadata: { name: subject.name, ...optional('namespace', subject.namespace) },
  subject,
  time: toTime(now),
  answers: answers.map(answerObject),
});

const answered = (subject: Subject, answers: readonly Answer[], deps: ApiServerDeps): Response => {
  const shown = deps.controllers === 'none' ? answers.map(withoutControllers) : answers;
  return ok(explanationObject(subject, shown, deps.clock.now()));
};

type ExplainRow = (deps: ExplainDeps, row: LiveRow) => Promise<readonly Answer[]>;

/** The node that a row is about, for Holds: it itself, or the one that a pod is bound to. `undefined`: it is not there, and every Hold covers it. */
const nodeOf = async ({ objects }: ExplainDeps, row: LiveRow): Promise<HoldTarget> => {
  if (row.key.resource === 'nodes') return targetOf(row.object);
  const node = liveRow(await objects.read(nodeKey(row.facts.pod?.nodeName ?? '')));
  return node && targetOf(node.object);
};

/** The answers with what Holds stop. Who may not read Holds learns only that there is one. */
const held = async (
  deps: ExplainDeps,
  answers: readonly Answer[],
  target: () => Promise<HoldTarget>,
): Promise<readonly Answer[]> => {
  const book = await readBook(deps);
  if (book.active.length === 0) return answers;
  const [first, ...others] = withHolds(answers, book, await target(), deps.clock.now());
  if (first?.question !== 'hold') return answers;
  const holds = { group: 'rollcall.dev', resource: HOLDS, namespace: '', name: '' };
  return [(await deps.mayRead(holds)) ? first : hidden('hold', HOLDS), ...others];
};

const explainStored =
  (kind: string, explain: ExplainRow): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const row = liveRow(await deps.objects.read(keyOf(call)));
    if (!row) throw notFound(subjectOf(call));
    const { name, namespace } = row.key;
    const subject = { kind, name, ...(namespace === '' ? {} : { namespace }), uid: row.uid };
    const own = explainDeps(call, deps);
    const isBound = row.key.resource === 'nodes' || (row.facts.pod?.nodeName ?? '') !== '';
    const answers = await explain(own, row);
    return answered(subject, isBound ? await held(own, answers, () => nodeOf(own, row)) : answers, deps);
  };

/** The answers about the zone with this id. Returns undefined if there is none. */
const explainZone = async (deps: ExplainDeps, id: string): Promise<readonly Answer[] | undefined> => {
  const { zones, settings } = await readZones(deps);
  const periodMs = deps.config.nodeLifecycle.nodeMonitorPeriodMs;
  const zone = zones.find((one) => one.id === id);
  const answers = zone && [explain(zone, zones, settings, periodMs, deps.clock.now())];
  return answers && held(deps, answers, async () => ({ labels: labelsOfZone(zone.key) }));
};

const explainOneZone: Handle<ApiServerDeps> = async (call, deps) => {
  const { name } = call.info;
  const answers = await explainZone(explainDeps(call, deps), name);
  if (!answers) throw notFound(subjectOf(call));
  return answered({ kind: 'Zone', name }, answers, deps);
};

/** GET of the explanation of an object, by its kind. Throws 404. */
export const EXPLAIN = {
  Node: explainStored('Node', explainNode),
  Pod: explainStored('Pod', explainPod),
  Zone: explainOneZone,
} as const;
