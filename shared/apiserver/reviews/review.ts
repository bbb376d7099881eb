/** What all reviews share: the body is read and answered, but never stored. */

import { inNamespace } from '../../kinds/contract/names.ts';
import type { ServedKind } from '../../kinds/contract/strategy.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidObject, invalidValue } from '../../kube/errors/field-error.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { ApiObject, ObjectMeta } from '../../kube/types/meta.ts';
import { readObject } from '../body/body.ts';
import { ownedAfterCreate } from '../body/ownership.ts';
import type { Call, Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { created } from '../contract/http.ts';
import { isDryRun } from '../request/options.ts';

/** The body of a review. */
export interface Review<Spec> extends ApiObject {
  readonly spec?: Spec;
}

/** A kind of review. `answer` returns the metadata, spec and status of the answer. */
export interface ReviewKind<Spec> {
  readonly kind: ServedKind;
  answer(review: Review<Spec>, call: Call, deps: ApiServerDeps): Promise<object>;
}

/** POST of a review. Throws 400, 413, 415 and 422. */
export const reviewVerb = <Spec>({ kind, answer }: ReviewKind<Spec>): Handle<ApiServerDeps> => {
  // `authorization.v1.SubjectAccessReview`
  const schema = kindSchema(`${kind.group.split('.')[0]}.${kind.version}.${kind.kind}`);
  return async (call, deps) => {
    isDryRun(call.request, 'CreateOptions');
    const given = inNamespace(readObject<Review<Spec>>(call.request, kind, schema), call.info.namespace);
    const writing = { call, strategy: { kind, schema }, now: deps.clock.now() };
    const review = ownedAfterCreate(writing, given);
    const { apiVersion, metadata } = review;
    return created({ kind: kind.kind, apiVersion, metadata, ...(await answer(review, call, deps)) });
  };
};

/** Faults for metadata in a review, which must have none but the namespace of a namespaced review. */
export const metadataFaults = (metadata: ObjectMeta, detail: string): readonly FieldError[] => {
  const {
    namespace: _namespace,
    managedFields: _managed,
    ...given
  } = metadata as ObjectMeta & {
    readonly managedFields?: unknown;
  };
  return Object.keys(given).length === 0 ? [] : [invalidValue('metadata', metadata, detail)];
};

/** Throws 422 if there are faults. Like Kubernetes, it does not name the kind. */
export const refuseFaults = ({ group }: ServedKind, faults: readonly FieldError[]): void => {
  if (faults.length > 0) throw invalidObject({ kind: '', group }, '', faults);
};
