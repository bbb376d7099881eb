/** GET of the subresource `explain` of Nodes, Pods and Zones. Nothing is stored or written. */
import { notFound } from '../../kube/errors/status-error.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { type LiveRow, liveRow } from '../../ports/store/rows.ts';
import type { Answer, Fact, Next } from '../../rules/explain/explanation.ts';
import { explainZone as explain } from '../../rules/explain/zone/zone.ts';
import { DEFAULT_SCHEDULER } from '../../rules/scheduling/pending.ts';
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

const explainStored =
  (kind: string, explain: ExplainRow): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const row = liveRow(await deps.objects.read(keyOf(call)));
    if (!row) throw notFound(subjectOf(call));
    const { name, namespace } = row.key;
    const subject = { kind, name, ...(namespace === '' ? {} : { namespace }), uid: row.uid };
    return answered(subject, await explain(explainDeps(call, deps), row), deps);
  };

/** The answers about the zone with this id. Returns undefined if there is none. */
const explainZone = async (deps: ExplainDeps, id: string): Promise<readonly Answer[] | undefined> => {
  const { zones, settings } = await readZones(deps);
  const periodMs = deps.config.nodeLifecycle.nodeMonitorPeriodMs;
  const zone = zones.find((one) => one.id === id);
  return zone && [explain(zone, zones, settings, periodMs, deps.clock.now())];
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
