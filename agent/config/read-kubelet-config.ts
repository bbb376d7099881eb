/** Reads the file KubeletConfiguration. Each problem names the file, the line and what to do. */
import { DecodeError } from '../../shared/kube/schema/go-types.ts';
import { ConfigFault, decodeKubeletConfig, type KubeletConfig } from '../rules/config/kubelet-config.ts';
import { refusedSettings, withoutEffect } from '../rules/config/meaning.ts';
import { kubeletConfigFaults } from '../rules/config/validate.ts';
import { type ReadYaml, readYaml } from './yaml-lines.ts';

const API_VERSION = 'kubelet.config.k8s.io/v1beta1';
const KIND = 'KubeletConfiguration';

export interface ReadConfig {
  readonly config: KubeletConfig;
  /** One line for each field that has no effect, such as `kubelet.yaml:3: clusterDNS has no effect: …`. */
  readonly notes: readonly string[];
  /** The endpoint of a container runtime that the file names; absent: none. */
  readonly runtimeEndpoint?: string;
}

export interface ConfigProblems {
  /** One line for each, such as `kubelet.yaml:3: strict decoding error: unknown field "foo"`. */
  readonly problems: readonly string[];
}

/** `path:line: ` of a field, or of the nearest one around it that is in the file. */
const placeOf = (path: string, file: string, lines: ReadYaml['lines']): string => {
  for (let field = path; field !== ''; field = field.replace(/(?:\.[^.[]*|\[\d+\]|^[^.[]*)$/, '')) {
    const line = lines.get(field);
    if (line !== undefined) return `${file}:${line}: `;
  }
  return `${file}: `;
};

const REMEDY = 'correct its name or take it out; names are those of Kubernetes 1.34';

const faultProblems = ({ kind, paths }: ConfigFault, file: string, lines: ReadYaml['lines']) =>
  paths.map((path) => {
    const fault =
      kind === 'field'
        ? `strict decoding error: unknown field "${path}"`
        : `unrecognized feature gate: ${path.slice('featureGates.'.length)}`;
    return `${placeOf(path, file, lines)}${fault}; ${REMEDY}`;
  });

const notesOn = (file: string, lines: ReadYaml['lines'], hasRuntime: boolean): readonly string[] =>
  withoutEffect(lines.keys(), hasRuntime).map(
    ([field, why]) => `${placeOf(field, file, lines)}${field} has no effect: ${why}`,
  );

/** The default of a kubelet does not count: without a word about it, containers are processes. */
const runtimeIn = (document: unknown): Pick<ReadConfig, 'runtimeEndpoint'> => {
  const given = (document as { readonly containerRuntimeEndpoint?: unknown } | undefined)
    ?.containerRuntimeEndpoint;
  return typeof given === 'string' && given !== '' ? { runtimeEndpoint: given } : {};
};

const decoded = (
  { document, lines }: ReadYaml,
  file: string,
  hasRuntime: boolean,
): ReadConfig | ConfigProblems => {
  try {
    const config = decodeKubeletConfig(document);
    const runtime = runtimeIn(document);
    const isTold = hasRuntime || runtime.runtimeEndpoint !== undefined;
    return { config, notes: notesOn(file, lines, isTold), ...runtime };
  } catch (error) {
    if (error instanceof ConfigFault) return { problems: faultProblems(error, file, lines) };
    if (!(error instanceof DecodeError)) throw error;
    return { problems: [`${placeOf(error.path ?? '', file, lines)}${error.message}`] };
  }
};

const typeProblems = (
  { apiVersion, kind }: KubeletConfig,
  file: string,
  lines: ReadYaml['lines'],
): readonly string[] => [
  ...(apiVersion === '' || apiVersion === API_VERSION
    ? []
    : [`${placeOf('apiVersion', file, lines)}apiVersion must be ${API_VERSION}`]),
  ...(kind === '' || kind === KIND ? [] : [`${placeOf('kind', file, lines)}kind must be ${KIND}`]),
];

/** The field that a message begins with. */
const subjectOf = (fault: string): string =>
  /^(?:invalid configuration: )?([A-Za-z]+)/.exec(fault)?.[1] ?? '';

/** `file`: the name that problems repeat. `hasRuntime`: a container runtime is named elsewhere. */
export const readKubeletConfig = (
  text: string,
  file: string,
  hasRuntime = false,
): ReadConfig | ConfigProblems => {
  const yaml = readYaml(text);
  if ('error' in yaml) return { problems: [`${file}:${yaml.line}: ${yaml.error}`] };
  const read = decoded(yaml, file, hasRuntime);
  if ('problems' in read) return read;
  const problems = [
    ...typeProblems(read.config, file, yaml.lines),
    ...[...kubeletConfigFaults(read.config), ...refusedSettings(read.config)].map(
      (fault) => `${placeOf(subjectOf(fault), file, yaml.lines)}${fault}`,
    ),
  ];
  return problems.length > 0 ? { problems } : read;
};
