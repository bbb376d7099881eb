/** What holds an object that was deleted. */
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Fact } from './explanation.ts';

/** One fact for each finalizer of the object. */
export const finalizerFacts = ({ metadata }: ApiObject): readonly Fact[] =>
  (metadata.finalizers ?? []).map((name) => ({
    fact: 'Finalizer',
    values: { name },
    source: 'metadata.finalizers',
    rule: 'A-09',
  }));
