import type { Strategy } from '../../kinds/contract/strategy.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { patchedObject, patchTypeOf } from '../body/patches.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { readPatchOptions } from '../request/patch-options.ts';
import { applyObject } from './apply.ts';
import { updateObject } from './update.ts';

/** PATCH of an object or of its status. */
export const patchVerb =
  <T extends ApiObject>(strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const type = patchTypeOf(call.request);
    const options = readPatchOptions(call.request, type);
    if (type === 'apply') return applyObject({ call, strategy, deps, options });
    const propose = (before: T): T => patchedObject(call.request, type, before, strategy);
    return updateObject({ call, strategy, deps, propose, dryRun: options.dryRun });
  };
