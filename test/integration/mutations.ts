/** What the functions need on AWS, taken away from what is deployed: a scenario must then fail, or the emulator sees nothing. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

interface Statement {
  Action: string | string[];
  readonly Condition?: Readonly<Record<string, Record<string, string | string[]>>>;
}

interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
}

type Resources = Readonly<Record<string, Resource>>;

/** What CDK has synthesized. */
interface Assembly {
  readonly resources: Resources;
  /** Replaces text in the bundle of a function. Returns whether it has found it. */
  rewrite(function_: Resource | undefined, from: RegExp, to: string): boolean;
}

/** A change of an assembly, and the file of the suite that finds it. */
export interface Mutation {
  readonly file: string;
  /** In what the tests or the guard complain of: another failure is none of the mutation. */
  readonly symptom: RegExp;
  /** Variables of the emulator. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it has found what it takes away. */
  take(assembly: Assembly): boolean;
}

/** The functions from which something is taken, by their names. */
const EVICTION = 'node-eviction';
const HEARTBEAT = 'heartbeat';
const ROUTER = 'change-router';
const LEADING_KEYS = 'dynamodb:LeadingKeys';

const functionOf = (resources: Resources, name: string): Resource | undefined =>
  Object.values(resources).find(({ Properties }) => Properties['Description'] === `Rollcall: ${name}`);

const policiesOf = (resources: Resources, name: string): readonly Statement[] => {
  const role = functionOf(resources, name)?.Properties['Role'] as
    | { 'Fn::GetAtt'?: readonly string[] }
    | undefined;
  const [roleId = ''] = role?.['Fn::GetAtt'] ?? [];
  return Object.values(resources)
    .filter(
      ({ Type, Properties }) =>
        Type === 'AWS::IAM::Policy' && JSON.stringify(Properties['Roles']).includes(`"${roleId}"`),
    )
    .flatMap(({ Properties }) => (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement);
};

/** The list without what is taken. A policy takes no empty list. */
const without = (list: string | string[] | undefined, taken: string, instead: string): string | string[] => {
  const others = [list ?? []].flat().filter((one) => one !== taken);
  return others.length > 0 ? others : instead;
};

const takeAction = (statements: readonly Statement[], action: string): boolean => {
  const found = statements.filter((statement) => [statement.Action].flat().includes(action));
  for (const statement of found)
    statement.Action = without(statement.Action, action, 'dynamodb:DescribeLimits');
  return found.length > 0;
};

const takeLeadingKey = (statements: readonly Statement[], key: string): boolean => {
  const found = statements
    .flatMap(({ Condition = {} }) => Object.values(Condition))
    .filter(({ [LEADING_KEYS]: keys = [] }) => [keys].flat().includes(key));
  for (const keys of found) keys[LEADING_KEYS] = without(keys[LEADING_KEYS], key, 'nothing');
  return found.length > 0;
};

/** Of the name of an Event in a bundle: what tells one occasion from others. */
const OCCASION = /(\\0\$\{[\w$]+\}\\0\$\{[\w$]+)(\}`)/;

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  grant: {
    file: 'nodes/lifecycle.int.test.ts',
    symptom: /calls dynamodb:UpdateItem/,
    take: ({ resources }) => takeAction(policiesOf(resources, EVICTION), 'dynamodb:UpdateItem'),
  },
  'recursive-loop': {
    file: 'nodes/lost-zone.int.test.ts',
    symptom: /nodes are tainted|no RecursiveLoop: Allow/,
    take: ({ resources }) => {
      const properties = functionOf(resources, EVICTION)?.Properties;
      return properties?.['RecursiveLoop'] !== undefined && delete properties['RecursiveLoop'];
    },
  },
  'leading-key': {
    file: 'stack/delivered-twice.int.test.ts',
    symptom: /calls dynamodb:UpdateItem/,
    take: ({ resources }) => takeLeadingKey(policiesOf(resources, HEARTBEAT), 'counter#leases'),
  },
  // A repeated change then finds no Event of its first delivery.
  idempotency: {
    file: 'stack/delivered-twice.int.test.ts',
    symptom: /(RegisteredNode|RemovingNode): expected/,
    env: { ROLLCALL_REPEATED: '1' },
    take: ({ resources, rewrite }) => rewrite(functionOf(resources, ROUTER), OCCASION, '$1+Math.random()$2'),
  },
};

/** Of vitest: its failures go to a file. */
export const failuresTo = (file: string): readonly string[] => [
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${file}`,
];

/** Whether a run has found the mutation. `failures`: the file of `failuresTo`. `refusals`: what the guard has refused, as text. */
export const isFound = ({ symptom }: Mutation, failures: string, refusals: readonly string[]): boolean => {
  const { testResults } = readJson<Failures>(failures);
  const messages = testResults.flatMap(({ message, assertionResults }) => [
    message,
    ...assertionResults.flatMap(({ failureMessages }) => failureMessages),
  ]);
  return [...messages, ...refusals].some((text) => symptom.test(text));
};

/** What vitest writes. */
interface Failures {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly failureMessages: readonly string[] }[];
  }[];
}

/** Code that CDK packs and sends. Its paths and keys have its name. */
interface Asset {
  readonly source: { readonly path: string };
}

interface Assets {
  readonly files: Record<string, Asset>;
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const writeJson = (path: string, value: object): void => writeFileSync(path, JSON.stringify(value));

/** Replaces text in the scripts of a folder; true if one of them had it. */
const rewriteScripts = (folder: string, from: RegExp, to: string): boolean => {
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
  const changed = scripts.filter((name) => {
    const text = readFileSync(`${folder}/${name}`, 'utf8');
    const next = text.replace(from, to);
    if (next !== text) writeFileSync(`${folder}/${name}`, next);
    return next !== text;
  });
  return changed.length > 0;
};

/**
 * Deploys a changed copy of a function's code, by a name of its own: CDK keeps what it has packed by its name, and a later run would get it. Returns
 * the name, or `undefined` if nothing was changed.
 */
const rewriteAsset = (
  folder: string,
  assetsFile: string,
  id: string,
  [from, to]: readonly [RegExp, string],
): string | undefined => {
  const assets = readJson<Assets>(assetsFile);
  const asset = assets.files[id];
  if (!asset) return undefined;
  const name = `${id}-mutated`;
  const copy = asset.source.path.replace(id, name);
  for (const old of [copy, `.cache/${name}.zip`])
    rmSync(`${folder}/${old}`, { recursive: true, force: true });
  cpSync(`${folder}/${asset.source.path}`, `${folder}/${copy}`, { recursive: true });
  assets.files[name] = JSON.parse(JSON.stringify(asset).replaceAll(id, name)) as Asset;
  writeJson(assetsFile, assets);
  return rewriteScripts(`${folder}/${copy}`, from, to) ? name : undefined;
};

/** Changes the assembly of a stack in its folder. Throws if there is nothing to take away. */
export const mutate = (folder: string, stackName: string, { take }: Mutation): void => {
  const template = `${folder}/${stackName}.template.json`;
  const parsed = readJson<{ readonly Resources: Resources }>(template);
  const rewrite: Assembly['rewrite'] = (function_, from, to) => {
    if (!function_) return false;
    const code = function_.Properties['Code'] as { S3Key: string };
    const id = code.S3Key.replace('.zip', '');
    const name = rewriteAsset(folder, `${folder}/${stackName}.assets.json`, id, [from, to]);
    if (name !== undefined) code.S3Key = `${name}.zip`;
    return name !== undefined;
  };
  if (!take({ resources: parsed.Resources, rewrite }))
    throw new Error(`${template} has nothing that the mutation could take away`);
  writeJson(template, parsed);
};
