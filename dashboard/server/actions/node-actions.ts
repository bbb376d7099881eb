/** Actions on a node for the page: first what would follow, then, with the ticket of that, the action itself. */
import { refusalOf } from '../../../gateway/upstream/upstream-answer.ts';
import { StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { isDone, type NodeAction } from '../../../shared/rules/node-actions/node-action.ts';
import { refusalsOf } from '../../../shared/rules/node-actions/refusals.ts';
import { whatFollows } from '../../../shared/rules/node-actions/what-follows.ts';
import { OUT_OF_SERVICE_TAINT } from '../../../shared/rules/nodes/out-of-service.ts';
import { taintText } from '../../../shared/rules/roll-call/taint-text.ts';
import type { ActionPreview, ActionResult, PerformRequest } from '../../wire/actions.ts';
import type { DashboardApi } from '../live/api.ts';
import type { ApiAnswer } from '../requests/requests.ts';
import type { NodeWrites } from './node-writes.ts';
import { createPreviews, type PreviewDeps, type ShownPreview } from './previews.ts';
import { readHeard, readKnown, readNode } from './read-known.ts';
import { type AskedAction, readPerformRequest, readPreviewRequest } from './read-request.ts';

/** An answer to the page. */
export interface ActionAnswer {
  readonly status: number;
  readonly body: ActionResult;
}

/** Both throw a StatusError for what is not valid, and for the API's refusals of reads. */
export interface NodeActions {
  preview(body: unknown): Promise<ActionPreview>;
  perform(body: unknown): Promise<ActionAnswer>;
}

export interface NodeActionsDeps extends PreviewDeps {
  readonly api: DashboardApi;
  readonly writes: NodeWrites;
  /** Is told of each action that was tried. */
  readonly onAction: (action: string, node: string, answer: ActionAnswer) => void;
}

/** Pods that are listed to the page. */
const MOST_PODS = 300;

const DONE: Readonly<Record<NodeAction['kind'], string>> = {
  cordon: 'is cordoned',
  uncordon: 'is no longer cordoned',
  drain: 'is being drained; its conditions and the explanation below say how far it is',
  taint: 'is tainted',
  untaint: 'has lost the taint',
  outOfService: 'is set out of service',
};

const changed = (message: string): ActionAnswer => ({ status: 409, body: { message, isChanged: true } });

const OLD = 'What was shown is too old, or was not shown by this process. Look again.';
const MADE_ANEW = 'the Node was deleted, and made anew under its name. Look again.';
const CHANGED = 'has changed since this was computed, so something else may follow. Look again.';

/** After a conflict: gone, another Node, another state, or what was wanted already. */
const afterConflict = async (
  api: DashboardApi,
  { node: name, action, seen }: ShownPreview,
): Promise<ActionAnswer> => {
  const node = await readNode(api, name);
  if (node.metadata.uid !== seen.metadata.uid) return changed(`${name}: ${MADE_ANEW}`);
  if (isDone(node, action)) return { status: 200, body: { message: `${name} ${DONE[action.kind]}.` } };
  return changed(`${name} ${CHANGED}`);
};

/** The machine may have spoken since then, without a change of its Node. */
const speaksNow = async (
  { api, now }: NodeActionsDeps,
  { node, action, seen }: ShownPreview,
): Promise<ActionAnswer | undefined> => {
  if (action.kind !== 'outOfService') return undefined;
  const [refusal] = refusalsOf(seen, action, await readHeard(api, node), now());
  return refusal === undefined ? undefined : changed(`${node}: ${refusal}`);
};

const write = (
  { writes }: NodeActionsDeps,
  { seen, action, drainSpec = {} }: ShownPreview,
): Promise<ApiAnswer> =>
  action.kind === 'drain' ? writes.drain(seen, drainSpec) : writes.patch(seen, action);

const performed = async (deps: NodeActionsDeps, preview: ShownPreview): Promise<ActionAnswer> => {
  const spoken = await speaksNow(deps, preview);
  if (spoken) return spoken;
  const { status, text } = await write(deps, preview);
  if (status === 409) return afterConflict(deps.api, preview);
  if (status >= 300) throw refusalOf(status, {}, text);
  return { status: 200, body: { message: `${preview.node} ${DONE[preview.action.kind]}.` } };
};

const toAnswer = (error: unknown): ActionAnswer => {
  if (error instanceof StatusError) return { status: error.code, body: { message: error.message } };
  throw error;
};

/** Nobody knows whether the API has done it, or it was too busy; a second try is for the same state of the Node, so it does nothing twice. */
const mayTryAgain = ({ status }: ActionAnswer): boolean => status >= 500 || status === 429;

const checkIsOff = ({ action }: ShownPreview, { isOff }: PerformRequest): void => {
  if (action.kind === 'outOfService' && !isOff)
    throw new StatusError('Invalid', 'isOff: say that you know that the machine is off');
};

const drainOptions = (spec: JsonObject): string =>
  [
    ' --ignore-daemonsets',
    spec['force'] === true ? ' --force' : '',
    spec['deleteEmptyDirData'] === true ? ' --delete-emptydir-data' : '',
    typeof spec['timeoutSeconds'] === 'number' ? ` --timeout ${spec['timeoutSeconds']}` : '',
  ].join('');

/** Of names and taints that are checked, which need no quotes. */
const commandText = ({ node, action, drainSpec = {} }: AskedAction): string => {
  switch (action.kind) {
    case 'cordon':
    case 'uncordon':
      return `kubectl ${action.kind} ${node}`;
    case 'drain':
      return `rollcall drain ${node}${drainOptions(drainSpec)}`;
    case 'taint':
      return `kubectl taint node ${node} ${taintText(action.taint)} --overwrite`;
    case 'untaint':
      return `kubectl taint node ${node} ${action.taint.key}:${action.taint.effect}-`;
    case 'outOfService':
      return `kubectl taint node ${node} ${taintText(OUT_OF_SERVICE_TAINT)}`;
  }
};

/** Creates them over reads with the token of a viewer and writes with that of a node operator. */
export const createNodeActions = (deps: NodeActionsDeps): NodeActions => {
  const { api, now, secret, onAction } = deps;
  const previews = createPreviews<ActionAnswer>(deps);
  return {
    preview: async (body) => {
      const asked = readPreviewRequest(body, secret(), now());
      const known = await readKnown(api, asked.node, asked.action);
      const at: EpochMs = now();
      const { pods, ...told } = whatFollows(known, asked.action, at);
      return {
        now: at,
        ...told,
        resourceVersion: known.node.metadata.resourceVersion ?? '',
        ticket: told.refusals.length > 0 ? '' : previews.add({ ...asked, seen: known.node }),
        pods: pods.slice(0, MOST_PODS),
        hiddenPods: Math.max(0, pods.length - MOST_PODS),
        command: commandText(asked),
      };
    },
    perform: async (body) => {
      const request = readPerformRequest(body);
      const kept = previews.find(request.ticket);
      if (!kept) return changed(OLD);
      checkIsOff(kept.preview, request);
      kept.result ??= performed(deps, kept.preview).catch(toAnswer);
      const answer = await kept.result;
      if (mayTryAgain(answer)) kept.result = undefined;
      onAction(kept.preview.action.kind, kept.preview.node, answer);
      return answer;
    },
  };
};
