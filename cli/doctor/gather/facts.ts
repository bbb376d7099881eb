/** Gathers what the checks judge. */
import { join, resolve } from 'node:path';
import { readHostRecord } from '../../../host/folder/host-record.ts';
import { compareTables, type Finding } from '../../../shared/adapters/dynamodb/upkeep/compare.ts';
import { findTables } from '../../../shared/adapters/dynamodb/upkeep/found-tables.ts';
import { keptTableName, type TableName } from '../../../shared/adapters/dynamodb/upkeep/names.ts';
import { tablesForFleet } from '../../../shared/adapters/dynamodb/upkeep/wanted-tables.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import { readIfThere } from '../../../shared/serving/machine/files.ts';
import { contextsOf, kubeTarget } from '../../../shared/serving/machine/kubeconfig-file.ts';
import { findCluster } from '../../access/cluster.ts';
import { pathsFor } from '../../access/host-folder.ts';
import { ROLES } from '../../access/identities.ts';
import { kubeconfigWith } from '../../access/kubeconfig-target.ts';
import { defaultRoot } from '../../agent/agent-options.ts';
import { generationIn, heartbeatCapacityIn } from '../../aws/stack-state.ts';
import type { ClusterChoice } from '../../shell/cluster-options.ts';
import { type CommandContext, CommandError, reasonOf } from '../../shell/command.ts';
import type { Facts, StackFacts } from '../facts/facts.ts';
import { folderFacts, secretFile } from './folder.ts';
import { machineFacts, programFacts } from './machine.ts';
import { type ServerTarget, serverFacts } from './server.ts';

/** What is examined. */
export interface Choice extends Pick<ClusterChoice, 'folder' | 'kubeconfig' | 'context' | 'stack'> {
  readonly agent?: boolean | undefined;
}

type Part = Omit<Facts, 'program' | 'machine'>;

/** Seconds for which the token of a stack's requests counts. */
const TOKEN_SECONDS = 60;

const ofFolder = async (folder: string | undefined, context: CommandContext): Promise<Part> => {
  const paths = pathsFor(folder, context);
  const record = readHostRecord(paths.host);
  const found = await folderFacts(paths.folder);
  if (record === undefined) return { folder: found };
  const readable = (path: string): string | undefined => {
    try {
      return readIfThere(path);
    } catch {
      return undefined;
    }
  };
  const token = readable(paths.adminToken)?.trim();
  const target = { url: record.url, ca: readable(paths.caCertificate), token };
  return { folder: found, ...(found.host?.isRunning ? { server: await serverFacts(target) } : {}) };
};

const kubeconfigPath = ({ kubeconfig, context: wanted }: Choice, context: CommandContext): string => {
  const { KUBECONFIG: listed, HOME: home = '' } = context.env;
  return resolve(kubeconfig ?? kubeconfigWith(wanted, context) ?? listed ?? join(home, '.kube', 'config'));
};

const noContext = (path: string, wanted: string | undefined, names: readonly string[]): string => {
  const missing = wanted === undefined ? 'no current context' : `no context ${wanted}`;
  return `${path} has ${missing}; give --context with one of its own: ${names.join(', ') || 'it has none'}`;
};

const ofKubeconfig = async (choice: Choice, context: CommandContext): Promise<Part> => {
  const { context: wanted } = choice;
  const path = kubeconfigPath(choice, context);
  const text = await context.readFile(path).catch((error: unknown) => {
    throw new CommandError(
      `cannot read the kubeconfig ${path}: ${reasonOf(error)}; give one by --kubeconfig or KUBECONFIG, or examine a host with --folder`,
      2,
    );
  });
  const target = kubeTarget(text, wanted);
  if (target === undefined) throw new CommandError(noContext(path, wanted, contextsOf(text)), 2);
  const file = await secretFile(path);
  return {
    ...optional('kubeconfig', file),
    server: await serverFacts({ url: target.server, ca: target.ca, token: target.token }),
  };
};

const outputsOf = async (stack: string, context: CommandContext): Promise<StackFacts> => {
  const region = context.env['AWS_REGION'] ?? context.env['AWS_DEFAULT_REGION'];
  const facts = { stack, outputs: {}, ...optional('region', region) };
  if (region === undefined) return facts;
  try {
    return { ...facts, outputs: await context.stackOutputs(stack) };
  } catch (error) {
    return { ...facts, error: reasonOf(error) };
  }
};

const tablesOf = async (
  { stack, outputs }: StackFacts,
  context: CommandContext,
): Promise<readonly Finding[] | string> => {
  try {
    const { admin } = await context.tables();
    const nameOf = (table: TableName): string => keptTableName(stack, table, generationIn(outputs));
    return compareTables(await findTables(admin, nameOf), tablesForFleet(heartbeatCapacityIn(outputs)));
  } catch (error) {
    return reasonOf(error);
  }
};

const tokenOf = async (stack: string, context: CommandContext): Promise<string> => {
  const { authority } = await findCluster({ stack }, context);
  const issuedAt = context.now();
  return issueToken(authority, { ...ROLES.admin, issuedAt, expiresAt: issuedAt + TOKEN_SECONDS * 1000 });
};

const ofStack = async (stack: string, context: CommandContext): Promise<Part> => {
  const facts = await outputsOf(stack, context);
  const url = facts.outputs['ApiUrl'];
  if (url === undefined) return { stack: facts };
  const signed = await tokenOf(stack, context).then(
    (token) => ({ token }),
    (error: unknown) => ({ secretError: reasonOf(error) }),
  );
  const token = 'token' in signed ? signed.token : undefined;
  const countsNodes = heartbeatCapacityIn(facts.outputs) !== undefined;
  const target: ServerTarget = { url, token, countsNodes };
  const tables = await tablesOf(facts, context);
  return {
    stack: { ...facts, tables, ...('secretError' in signed ? { secretError: signed.secretError } : {}) },
    server: await serverFacts(target),
  };
};

const partOf = (choice: Choice, context: CommandContext): Promise<Part> => {
  const { folder, stack } = choice;
  if (stack !== undefined) return ofStack(stack, context);
  const isHostKnown = readHostRecord(pathsFor(folder, context).host) !== undefined;
  const isGiven = (choice.kubeconfig ?? choice.context) !== undefined;
  const isKubeconfig = isGiven || (folder === undefined && !isHostKnown && context.env['KUBECONFIG']);
  return isKubeconfig ? ofKubeconfig(choice, context) : ofFolder(folder, context);
};

/** All facts. It rejects only where the command line asks for what is not there. */
export const gather = async (choice: Choice, context: CommandContext): Promise<Facts> => {
  const [wall, monotonic] = [Date.now(), performance.now()];
  const [part, program] = await Promise.all([partOf(choice, context), programFacts(context.env)]);
  const machine = choice.agent ? await machineFacts(defaultRoot(context)) : undefined;
  const now = Date.now();
  return {
    ...part,
    ...optional('machine', machine),
    program: { ...program, now, clockStepMs: now - wall - (performance.now() - monotonic) },
  };
};
