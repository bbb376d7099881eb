import type { ApiObject } from '../../kube/types/meta.ts';
import type { Lister, ListPosition } from './lists.ts';

/** Lists all objects of a resource in a namespace (`''`: in all), at one revision. */
export const listAll = async <T extends ApiObject>(
  lister: Lister,
  resource: string,
  namespace: string,
): Promise<readonly T[]> => {
  const objects: T[] = [];
  for (let position: ListPosition | undefined; ; ) {
    const at = position ? { continueAt: position } : {};
    const page = await lister.list({ resource, namespace, ...at });
    objects.push(...(page.objects as readonly T[]));
    if (!page.next) return objects;
    position = page.next;
  }
};
