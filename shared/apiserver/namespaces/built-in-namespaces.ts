/** Stores the built-in namespaces before the first request for namespaces. */

import { NAMESPACES } from '../../kube/types/well-known.ts';
import { bearNamespace } from '../../store/writer/namespace-birth.ts';
import type { ApiServerDeps } from '../contract/deps.ts';

/**
 * A function that stores the built-in namespaces once per process: only requests for namespaces wait for it: all
 * other requests take them for granted.
 */
export const createNamespaceBirth = (deps: ApiServerDeps): (() => Promise<void>) => {
  let born: Promise<unknown> | undefined;
  return async () => {
    born ??= Promise.all(NAMESPACES.map((name) => bearNamespace(name, deps)));
    try {
      await born;
    } catch (error) {
      born = undefined;
      throw error;
    }
  };
};
