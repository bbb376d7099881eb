import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { KeptState } from '../../cdk/constructs/kept-state.ts';
import { addStack, readContext } from '../../cdk/stacks/rollcall-app.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
}

export interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** A synthesised stack and the folder of its assets. */
export interface Assembly {
  readonly folder: string;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Findings of cdk-nag. */
  readonly findings: readonly unknown[];
}

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

const BUNDLED = resolve('test-results/synth');
const cdkJson = json('cdk.json');
/** Skips bundling, which takes most of the time. */
const UNBUNDLED = { 'aws:cdk:bundling-stacks': [] };

const synthInto = (
  folder: string,
  context: Readonly<Record<string, unknown>>,
  kept?: KeptState,
): Assembly => {
  const wanted = readContext({ outdir: folder, context: { ...cdkJson.context, ...context } });
  const stack = addStack(wanted, kept);
  wanted.app.synth();
  const { Resources: resources, Outputs: outputs } = json(join(folder, stack.templateFile));
  return { folder, resources, outputs, findings: json(join(folder, 'validation-report.json')).pluginReports };
};

/** The function that sends events exists only if there is a receiver, and the group `cloud` only if a cloud is asked. */
export const WITH_SINK = { eventSink: 'https://hooks.example.org/rollcall' };
/** The alarm of provisioned capacity exists only if there is some. */
export const WITH_CAPACITY = { heartbeatCapacity: '1000' };
export const WITH_CLOUD = { cloudProvider: 'ec2', volumeAttacher: 'ebs' };

/** The stack with all functions and with bundles, as `cdk synth` makes it. */
export const synthWithBundles = (): Assembly => {
  rmSync(BUNDLED, { recursive: true, force: true });
  return synthInto(BUNDLED, { ...WITH_SINK, ...WITH_CLOUD });
};

/** The template for these settings. Its functions have no code. */
export const synth = (settings: Readonly<Record<string, unknown>> = {}, kept?: KeptState): Assembly => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-synth-'));
  try {
    return synthInto(folder, { ...settings, ...UNBUNDLED }, kept);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

export const ofType = ({ resources }: Assembly, type: string): readonly (readonly [string, Resource])[] =>
  Object.entries(resources).filter(([, { Type }]) => Type === type);

/** The functions of the template by their names: a folder under `lambdas/`, or a group of controllers. */
export const functionsByName = (assembly: Assembly): ReadonlyMap<string, Resource> =>
  new Map(
    ofType(assembly, 'AWS::Lambda::Function').map(([, resource]) => [
      /^Rollcall: (.+)$/.exec(String(resource.Properties['Description']))?.[1] ?? '',
      resource,
    ]),
  );

/** The logical id to which a `Ref` or `Fn::GetAtt` refers. */
export const target = (value: unknown): string => {
  const { Ref, 'Fn::GetAtt': attribute } = (value ?? {}) as {
    Ref?: string;
    'Fn::GetAtt'?: readonly string[];
  };
  return Ref ?? attribute?.[0] ?? '';
};

/** A value of the template as text. What CloudFormation fills in is replaced by a placeholder. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const { 'Fn::Join': join } = value as { readonly 'Fn::Join'?: readonly [string, readonly unknown[]] };
  return join ? join[1].map(textOf).join(join[0]) : 'generated';
};

/** The environment of a function. */
export const environmentOf = ({ Properties }: Resource): Readonly<Record<string, string>> => {
  const { Variables } = Properties['Environment'] as { Variables: Readonly<Record<string, unknown>> };
  return Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, textOf(value)]));
};

/** The folder of a function's bundle. */
export const bundleOf = ({ folder }: Assembly, { Properties }: Resource): string => {
  const { S3Key } = Properties['Code'] as { S3Key: string };
  return join(folder, `asset.${S3Key.replace('.zip', '')}`, 'index.mjs');
};
