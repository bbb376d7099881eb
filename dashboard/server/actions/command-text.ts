/** The command that does the same on a terminal. */
import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import { OUT_OF_SERVICE_TAINT } from '../../../shared/rules/nodes/out-of-service.ts';
import { taintText } from '../../../shared/rules/roll-call/taint-text.ts';
import type { AskedAction } from './read-request.ts';

const drainOptions = (spec: JsonObject): string =>
  [
    ' --ignore-daemonsets',
    spec['force'] === true ? ' --force' : '',
    spec['deleteEmptyDirData'] === true ? ' --delete-emptydir-data' : '',
    typeof spec['timeoutSeconds'] === 'number' ? ` --timeout ${spec['timeoutSeconds']}` : '',
  ].join('');

/** Of names and taints that are checked, which need no quotes. */
export const commandText = ({ node, action, drainSpec = {} }: AskedAction): string => {
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
