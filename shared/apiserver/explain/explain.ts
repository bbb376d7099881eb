/** GET of the subresource `explain` of Nodes, Pods and Zones. Nothing is stored or written. */
import { notFound } from '../../kube/errors/status-error.ts';
import { type LiveRow, liveRow } from '../../ports/store/rows.ts';
import type { Answer } from '../../rules/explain/explanation.ts';
import { DEFAULT_SCHEDULER } from '../../rules/scheduling/pending.ts';
import { accessFacts } from '../access/access-facts.ts';
import { decideResourceAccess } from '../access/authorization.ts';
import type { Call, Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer as Response } from '../contract/http.ts';
import { ok } from '../contract/http.ts';
import { keyOf } from '../verbs/create.ts';
import type { ExplainDeps, MayRead } from './explain-deps.ts';
import { explainNode } from './explain-node.ts';
import { explainPod } from './explain-pod.ts';
import { explainZone } from './explain-zone.ts';
import { explanationObject, type Subject } from './explanation-object.ts';

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
