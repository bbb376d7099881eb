import type { User } from '../../kinds/contract/user.ts';
import type { ErrorSubject } from '../../kube/errors/status-error.ts';
import type { Answer, HttpRequest } from './http.ts';
import type { Representation } from './representation.ts';
import type { ResourceRequest } from './request-info.ts';

/** A request for a resource, after authentication and authorization. */
export interface Call {
  readonly request: HttpRequest;
  readonly info: ResourceRequest;
  readonly user: User;
  /** The form of the answer that the client asked for; without it, the plain object. */
  readonly representation?: Representation;
}

/**
 * Handles a call with the dependencies of its server. Rejects with a `StatusError` for an error that the client
 * is told.
 */
export type Handle<Deps> = (call: Call, deps: Deps) => Promise<Answer>;

/** The resource and name that errors of this call are about. */
export const subjectOf = ({ info }: Pick<Call, 'info'>, name = info.name): ErrorSubject => ({
  resource: info.resource,
  group: info.group,
  name,
});
