/** Makes a machine a Node: it registers with a bootstrap token, and gets a token of its own. */
import type { Node } from '../../shared/kube/types/core.ts';
import { type BackOffDelays, backOff } from '../../shared/kube/values/back-off.ts';
import { ApiRefusal } from '../adapters/api/session.ts';
import type { IssuedToken } from '../adapters/api/token-api.ts';
import type { NodeRegistry } from '../ports/api/node-registry.ts';
import type { TokenStore } from '../ports/api/token-store.ts';
import { AgentFault } from '../ports/machine/agent-fault.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { BootstrapMeaning, MachineTime, OwnToken } from '../rules/registration/own-token.ts';

export interface JoinDeps {
  readonly nodeName: string;
  readonly tokens: TokenStore;
  /** What a bootstrap token allows; absent: there is none. */
  readonly bootstrap?: {
    readonly nodes: Pick<NodeRegistry, 'create'>;
    issue(): Promise<IssuedToken>;
    meaning(own: OwnToken): BootstrapMeaning;
    /** Whether the control plane does not know this token any more. Rejects if there is no answer. */
    isVoid(own: OwnToken): Promise<boolean>;
  };
  /** Whether the machine makes its Node, or waits for somebody else to make it. */
  readonly registersNode: boolean;
  buildNode(): Promise<Node>;
  readonly lifeMs: number;
  machineTime(): MachineTime;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const RETRY: BackOffDelays = { firstMs: 200, mostMs: 7_000 };
const TELL_AGAIN_MS = 60_000;

const NO_BOOTSTRAP_TOKEN =
  'this machine has not joined yet: give a bootstrap token with --bootstrap-token-file FILE; "rollcall token --bootstrap --print-join" prints the whole line';

/** Answers after which another try would get the same answer. */
const FINAL: Readonly<Record<number, string>> = {
  400: 'the API does not take this Node',
  401: 'the API does not accept the bootstrap token; make a new one with: rollcall token --bootstrap --print-join',
  403: 'this machine may not join, perhaps because another one has its name (then give another with --hostname-override)',
  422: 'the API does not take this Node',
};

const asFinal = (error: unknown): unknown => {
  const what = error instanceof ApiRefusal ? FINAL[error.status] : undefined;
  return what === undefined ? error : new AgentFault(`${what}: ${(error as Error).message}`);
};

type Bootstrap = NonNullable<JoinDeps['bootstrap']>;

/** Whether the machine is to join as if it had no token of its own. */
const isOutdated = async (own: OwnToken, { bootstrap, log }: JoinDeps): Promise<boolean> => {
  const meaning = bootstrap?.meaning(own) ?? 'nothing';
  if (meaning === 'other')
    log(`this machine was the node ${own.nodeName} of another cluster, "${own.clusterId}", and leaves it`);
  if (meaning !== 'again' || !bootstrap) return meaning === 'other';
  try {
    return await bootstrap.isVoid(own);
  } catch {
    // Its own token counts until the control plane says otherwise.
    return false;
  }
};

const tryJoin = async ({ nodes, issue }: Bootstrap, deps: JoinDeps): Promise<OwnToken> => {
  const made = deps.registersNode ? await nodes.create(await deps.buildNode()) : 'exists';
  if (typeof made === 'object')
    throw new AgentFault(
      `this token may not register this node: give one of: rollcall token --bootstrap --print-join (${made.forbidden})`,
    );
  const since = deps.machineTime();
  const issued = await issue();
  return { ...issued, nodeName: deps.nodeName, lifeMs: deps.lifeMs, since };
};

/** Tells each reason at once, and the same one again each minute. */
const createComplaints = ({ log, nodeName }: JoinDeps) => {
  let told: string | undefined;
  let waitedMs = 0;
  return (error: unknown, pauseMs: number): void => {
    const reason = String(error);
    waitedMs = reason === told ? waitedMs + pauseMs : TELL_AGAIN_MS;
    told = reason;
    if (waitedMs < TELL_AGAIN_MS) return;
    log(`the node ${nodeName} has not joined yet, and tries again`, error);
    waitedMs = 0;
  };
};

const joinAnew = async (deps: JoinDeps): Promise<OwnToken | undefined> => {
  const { bootstrap } = deps;
  if (!bootstrap) throw new AgentFault(NO_BOOTSTRAP_TOKEN);
  const tell = createComplaints(deps);
  for (let tries = 0; !deps.signal.aborted; tries += 1)
    try {
      const token = await tryJoin(bootstrap, deps);
      await deps.tokens.store(token);
      return token;
    } catch (error) {
      const known = asFinal(error);
      if (known instanceof AgentFault) throw known;
      const delay = backOff(RETRY, tries);
      tell(error, delay);
      await deps.clock.sleep(delay);
    }
  return undefined;
};

/**
 * The machine's own token: the stored one, unless a newer bootstrap token replaces it, or a new one. Tries until it has one; `undefined`: `signal` aborted. Rejects with an `AgentFault` if
 * trying again does not help.
 */
export const join = async (deps: JoinDeps): Promise<OwnToken | undefined> => {
  const stored = await deps.tokens.load();
  if (!stored || (await isOutdated(stored, deps))) return joinAnew(deps);
  if (stored.nodeName === deps.nodeName) return stored;
  throw new AgentFault(
    `this root folder is that of the node "${stored.nodeName}", not of "${deps.nodeName}": use --hostname-override ${stored.nodeName}, or another --root-dir`,
  );
};
