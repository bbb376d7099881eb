/** Warnings about kinds that are stored and that nothing here acts on. */
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Strategy } from './strategy.ts';

/** The `Warning` for an object that no controller of Rollcall acts on; `so`: what follows for the client. */
export const ignoredWarning = (kind: string, so: string): string =>
  `Rollcall stores this ${kind}, and none of its controllers acts on it: ${so}`;

/** Warns whoever creates or changes an object of this kind; `so` may depend on the object. */
export const ignored = <T extends ApiObject>(
  kind: string,
  so: string | ((object: T) => string),
): Required<Pick<Strategy<T>, 'warnings' | 'updateWarnings'>> => {
  const warnings = (object: T): readonly string[] => [
    ignoredWarning(kind, typeof so === 'string' ? so : so(object)),
  ];
  return { warnings, updateWarnings: warnings };
};
