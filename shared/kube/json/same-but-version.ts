import type { ApiObject } from '../types/meta.ts';
import { deepEqual } from './deep-equal.ts';

const withoutVersion = ({ metadata, ...rest }: ApiObject) => ({
  ...rest,
  metadata: { ...metadata, resourceVersion: '' },
});

/** Whether two objects differ in nothing but `metadata.resourceVersion`. */
export const isSameButVersion = (a: ApiObject, b: ApiObject): boolean =>
  deepEqual(withoutVersion(a), withoutVersion(b));
