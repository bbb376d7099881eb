import type { ErrorSubject } from '../api/status-error.ts';
import type { User } from './access/user.ts';
import type { Representation } from './answer/representation.ts';
import type { Answer, HttpRequest } from './http.ts';
import type { ResourceRequest } from './request/request-info.ts';

/** A request for a resource, past authentication and authorization. */
export interface Call {
  readonly request: HttpRequest;
  readonly info: ResourceRequest;
  readonly user: User;
  /** How the client wants the answer to look; plainly where the server knows nothing else. */
  readonly representation?: Representation;
}

export type Handle<Deps> = (call: Call, deps: Deps) => Promise<Answer>;

/** What errors of this call are about. */
export const subjectOf = ({ info }: Pick<Call, 'info'>, name = info.name): ErrorSubject => ({
  resource: info.resource,
  group: info.group,
  name,
});
