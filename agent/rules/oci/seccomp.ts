/** Which system calls a container may use. Source: github.com/moby/profiles seccomp `setupSeccomp`; kubernetes v1.34 `SeccompProfile`. */

import { isObject, type JsonObject } from '../../../shared/kube/json/json-object.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import {
  ARCHITECTURES,
  type CallArgument,
  type CallCondition,
  type CallRule,
  DEFAULT_ERRNO,
  DEFAULT_RULES,
} from './default-profile.ts';
import type { OciSeccomp, OciSyscall } from './runtime-spec.ts';

/** What the machine is. */
export interface SeccompMachine {
  /** As Node names it, such as `x64`. */
  readonly architecture: string;
  /** Such as `6.1.0-18-amd64`. */
  readonly kernel: string;
}

/** By the names of Node: those of Moby, and of libseccomp. */
const NAMES: Readonly<Record<string, readonly [string, string]>> = {
  x64: ['amd64', 'SCMP_ARCH_X86_64'],
  ia32: ['x86', 'SCMP_ARCH_X86'],
  arm64: ['arm64', 'SCMP_ARCH_AARCH64'],
  arm: ['arm', 'SCMP_ARCH_ARM'],
  ppc64: ['ppc64le', 'SCMP_ARCH_PPC64LE'],
  s390x: ['s390x', 'SCMP_ARCH_S390X'],
  riscv64: ['riscv64', 'SCMP_ARCH_RISCV64'],
  loong64: ['loongarch64', 'SCMP_ARCH_LOONGARCH64'],
};

interface Facts {
  readonly capabilities: ReadonlySet<string>;
  readonly architecture: string;
  readonly kernel: readonly [number, number];
}

const isKernelLeast = ([version, revision]: readonly [number, number], least: readonly [number, number]) =>
  version > least[0] || (version === least[0] && revision >= least[1]);

const isOnly = (
  { capabilities = [], architectures = [], leastKernel }: CallCondition,
  facts: Facts,
): boolean =>
  capabilities.every((one) => facts.capabilities.has(one)) &&
  (architectures.length === 0 || architectures.includes(facts.architecture)) &&
  (leastKernel === undefined || isKernelLeast(facts.kernel, leastKernel));

/** One is enough. */
const isUnless = (
  { capabilities = [], architectures = [], leastKernel }: CallCondition,
  facts: Facts,
): boolean =>
  capabilities.some((one) => facts.capabilities.has(one)) ||
  architectures.includes(facts.architecture) ||
  (leastKernel !== undefined && isKernelLeast(facts.kernel, leastKernel));

const holds = ({ only, unless }: CallRule, facts: Facts): boolean =>
  (only === undefined || isOnly(only, facts)) && (unless === undefined || !isUnless(unless, facts));

const callOf = ({ names, args, errno }: CallRule): OciSyscall => ({
  names,
  action: errno === undefined ? 'SCMP_ACT_ALLOW' : 'SCMP_ACT_ERRNO',
  ...optional('errnoRet', errno),
  ...optional('args', args),
});

/** A kernel of an unknown version counts as an old one. */
const kernelIn = (release: string): readonly [number, number] => {
  const [, version = '0', revision = '0'] = /^(\d+)\.(\d+)/.exec(release) ?? [];
  return [Number(version), Number(revision)];
};

/** The profile `RuntimeDefault` for a container with this bounding set. */
export const defaultSeccomp = (
  capabilities: readonly string[],
  { architecture, kernel }: SeccompMachine,
): OciSeccomp => {
  const [name = architecture, native = ''] = NAMES[architecture] ?? [];
  const facts = { capabilities: new Set(capabilities), architecture: name, kernel: kernelIn(kernel) };
  const found = ARCHITECTURES.find((one) => one.architecture === native);
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: DEFAULT_ERRNO,
    ...(found && { architectures: [found.architecture, ...found.below] }),
    syscalls: DEFAULT_RULES.filter((rule) => holds(rule, facts)).map(callOf),
  };
};

const isText = (value: unknown): value is string => typeof value === 'string';

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isArgument = (value: unknown): value is CallArgument =>
  isObject(value) &&
  isAmount(value['index']) &&
  isAmount(value['value']) &&
  isText(value['op']) &&
  (value['valueTwo'] === undefined || isAmount(value['valueTwo']));

const CONDITIONS = ['includes', 'excludes'];

const callFault = (call: unknown): string | undefined => {
  if (!isObject(call) || !isTexts(call['names']) || !isText(call['action']))
    return 'has a rule without names and action';
  const conditional = CONDITIONS.find((member) => Object.keys(call[member] ?? {}).length > 0);
  if (conditional !== undefined) return `has a rule with ${conditional}, which no profile of a Node may have`;
  const { args = [], errnoRet } = call as { readonly args?: unknown; readonly errnoRet?: unknown };
  if (!Array.isArray(args ?? []) || !(args as readonly unknown[]).every(isArgument))
    return `has arguments that are wrong for ${call['names'].join(', ')}`;
  return errnoRet === undefined || isAmount(errnoRet) ? undefined : 'has an errnoRet that is no number';
};

/** Of what runtimes read. Docker's conditions on rules are not among that. */
const profileFault = (profile: unknown): string | undefined => {
  if (!isObject(profile) || !isText(profile['defaultAction'])) return 'has no defaultAction';
  const { architectures, flags, syscalls, defaultErrnoRet } = profile;
  if (architectures !== undefined && !isTexts(architectures)) return 'has architectures that are no list';
  if (flags !== undefined && !isTexts(flags)) return 'has flags that are no list';
  if (defaultErrnoRet !== undefined && !isAmount(defaultErrnoRet))
    return 'has a defaultErrnoRet that is no number';
  if (syscalls !== undefined && !Array.isArray(syscalls)) return 'has syscalls that are no list';
  for (const call of (syscalls ?? []) as readonly unknown[]) {
    const fault = callFault(call);
    if (fault !== undefined) return fault;
  }
  return undefined;
};

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const MEMBERS = ['defaultAction', 'defaultErrnoRet', 'architectures', 'flags', 'syscalls'];

/** The profile of the machine that a pod names (`Localhost`), from the text of its file; or what is wrong with it. */
export const localSeccomp = (text: string): { readonly profile: OciSeccomp } | { readonly fault: string } => {
  const profile = jsonIn(text);
  const fault = profileFault(profile);
  if (fault !== undefined) return { fault: `the seccomp profile ${fault}` };
  const known = Object.entries(profile as JsonObject).filter(([member]) => MEMBERS.includes(member));
  return { profile: Object.fromEntries(known) as unknown as OciSeccomp };
};
