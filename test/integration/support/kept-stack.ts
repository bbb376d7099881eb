/** A cluster of its own, whose state is kept as it is by default. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Deployment, deployStack, destroyStack } from '../../localstack/deploy.ts';
import { type FunctionUrlResponse, request } from '../../localstack/function-url.ts';
import { REAL } from '../profile.ts';
import { awsEnvironment, requestWith, rollcall } from './deployment.ts';

const CLUSTER = 'kept';
export const KEPT_STACK = `Rollcall-${CLUSTER}`;
/** How often its machines beat, ms. */
const BEAT_MS = 3_000;

type Context = Readonly<Record<string, string>>;

/** The URLs of its functions, without the last slash. */
export interface Addresses {
  readonly api: string;
  readonly heartbeats: string;
}

const deploymentWith = (context: Context): Deployment => {
  const folder = resolve('test-results/integration/kept');
  mkdirSync(folder, { recursive: true });
  return {
    app: 'node cdk/app.ts',
    stackNames: [KEPT_STACK],
    // With Kubernetes' own periods there are fewer passes.
    context: { ...REAL.context, clusterId: CLUSTER, removalPolicy: 'retain', ...context },
    env: awsEnvironment(),
    outputsFile: `${folder}/outputs.json`,
  };
};

const withoutSlash = (url = ''): string => url.replace(/\/$/, '');

/** Deploys it with these settings. */
export const deployKept = async (context: Context = {}): Promise<Addresses> => {
  const { [KEPT_STACK]: outputs = {} } = await deployStack(deploymentWith(context));
  return { api: withoutSlash(outputs['ApiUrl']), heartbeats: withoutSlash(outputs['HeartbeatUrl']) };
};

/** Deletes it; its tables and its key stay. */
export const destroyKept = async (): Promise<void> => {
  await destroyStack(deploymentWith({}));
};

/** What `rollcall aws repair` prints. */
export const repairKept = (...args: readonly string[]): string =>
  rollcall(['aws', 'repair', '--stack', KEPT_STACK, ...args]);

/** One request with a token. */
export const asked = (
  url: string,
  token: string,
  path: string,
  body?: object,
): Promise<FunctionUrlResponse> =>
  request({ url, path, method: body ? 'POST' : 'GET', ...requestWith({ token, body }) });

export interface BeatingNode {
  /** The codes of the answers to its beats, in order. */
  readonly answers: readonly number[];
  stop(): Promise<void>;
}

/** Sends beats for a node until it is stopped, whatever the answers are. */
export const startBeats = (url: string, token: string, name: string): BeatingNode => {
  const answers: number[] = [];
  const path = `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`;
  let running = true;
  const loop = (async () => {
    while (running) {
      answers.push((await asked(url, token, path, {})).status);
      await sleep(BEAT_MS);
    }
  })();
  return {
    answers,
    stop: async () => {
      running = false;
      await loop;
    },
  };
};
