/** What `rollcall hold` and `rollcall resume` ask the API. */
import type { Hold } from '../../shared/kube/types/hold.ts';
import { findApi } from '../access/api-access.ts';
import { type ApiRequest, askApi } from '../access/api-requests.ts';
import { ROLES } from '../access/identities.ts';
import type { ClusterChoice } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';

const HOLDS = '/apis/rollcall.dev/v1/holds';
/** Lifetime in seconds of a token of requests. */
const ERRAND_SECONDS = 60;

/** The Holds of a cluster. */
export interface HoldRequests {
  create: (hold: object) => Promise<Hold>;
  /** Throws a `CommandError` if there is none, as `remove`. */
  read: (name: string) => Promise<Hold>;
  /** Deletes this Hold, and no later one of its name. */
  remove: (hold: Hold) => Promise<void>;
}

/** Finds the cluster. Throws a `CommandError` that names the remedy. */
export const findHolds = async (choice: ClusterChoice, context: CommandContext): Promise<HoldRequests> => {
  const { server, ca, tokens } = await findApi(choice, context);
  const token = tokens(ROLES.admin, ERRAND_SECONDS);
  const ask = async (request: ApiRequest): Promise<Hold> =>
    askApi<Hold>({ server, ca, token: await token() }, request, context);
  const one = (name: string) => ({
    path: `${HOLDS}/${encodeURIComponent(name)}`,
    missing: () => `there is no Hold "${name}" at ${server}. kubectl get holds lists them`,
  });
  const type = 'application/json';
  return {
    create: (body) => ask({ method: 'POST', path: HOLDS, type, body }),
    read: (name) => ask({ method: 'GET', ...one(name) }),
    remove: async ({ metadata: { name, uid } }) => {
      await ask({ method: 'DELETE', ...one(name), type, body: { preconditions: { uid } } });
    },
  };
};
