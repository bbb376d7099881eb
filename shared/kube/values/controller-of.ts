import type { ApiObject } from '../types/meta.ts';

/** The controlling owner of a pod, or of another object. */
export const controllerOf = ({ metadata }: ApiObject) =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);
