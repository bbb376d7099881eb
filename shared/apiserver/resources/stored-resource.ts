/** Builds the rows of stored resources: a strategy provides all verbs. */

import type { Strategy } from '../../kinds/contract/strategy.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Resource, Verbs } from '../contract/resource.ts';
import { createVerb } from '../verbs/create.ts';
import { deleteVerb } from '../verbs/delete.ts';
import { deleteCollectionVerb } from '../verbs/deletecollection.ts';
import { getVerb } from '../verbs/get.ts';
import { listVerb } from '../verbs/list.ts';
import { patchVerb } from '../verbs/patch.ts';
import { replaceVerb } from '../verbs/replace.ts';
import { watchVerb } from '../verbs/watch.ts';

/** The verbs of a stored resource. */
export const storedVerbs = <T extends ApiObject>(strategy: Strategy<T>): Verbs => ({
  create: createVerb(strategy),
  delete: deleteVerb(strategy),
  deletecollection: deleteCollectionVerb(strategy),
  get: getVerb(strategy),
  list: listVerb(strategy),
  patch: patchVerb(strategy),
  update: replaceVerb(strategy),
  watch: watchVerb(strategy),
});

/** The subresource `status` of a stored resource. */
export const statusVerbs = <T extends ApiObject>(strategy: Strategy<T>) => ({
  status: {
    kind: strategy.kind.kind,
    verbs: { get: getVerb(strategy), patch: patchVerb(strategy), update: replaceVerb(strategy) },
  },
});

type Names = Partial<Pick<Resource, 'shortNames' | 'categories' | 'subresources'>>;

/** The row of a stored resource, with the verbs that all stored resources have. */
export const storedResource = <T extends ApiObject>(strategy: Strategy<T>, names: Names = {}): Resource => ({
  ...strategy.kind,
  singular: strategy.kind.kind.toLowerCase(),
  verbs: storedVerbs(strategy),
  subresources: {},
  ...names,
});
