/** Flags about containers that have ended. Source: kubernetes v1.34 cmd/kubelet/app/options `KubeletFlags`. */
import { parseGoDuration } from '../../shared/kube/text/go-duration.ts';
import { CONTAINER_POLICY, type ContainerPolicy } from '../rules/garbage/container-garbage.ts';

export const GARBAGE_FLAGS = [
  'minimum-container-ttl-duration',
  'maximum-dead-containers-per-container',
  'maximum-dead-containers',
] as const;

type Flags = Readonly<Partial<Record<(typeof GARBAGE_FLAGS)[number], string | undefined>>>;

const milliseconds = (given: string): number | undefined => {
  const parsed = parseGoDuration(given);
  return typeof parsed === 'bigint' && parsed >= 0n ? Number(parsed) / 1e6 : undefined;
};

const whole = (given: string): number | undefined => (/^-?\d{1,9}$/.test(given) ? Number(given) : undefined);

/** How many are kept, and how long; or the flag that is wrong, and what to write. */
export const containerPolicy = (flags: Flags): ContainerPolicy | { readonly error: string } => {
  const read = <K extends keyof ContainerPolicy>(
    flag: keyof Flags,
    key: K,
    parse: (given: string) => number | undefined,
  ): number | undefined => {
    const given = flags[flag];
    return given === undefined ? CONTAINER_POLICY[key] : parse(given);
  };
  const minAgeMs = read('minimum-container-ttl-duration', 'minAgeMs', milliseconds);
  if (minAgeMs === undefined)
    return { error: '--minimum-container-ttl-duration: write a duration such as 1m, not below 0' };
  const mostPerContainer = read('maximum-dead-containers-per-container', 'mostPerContainer', whole);
  const most = read('maximum-dead-containers', 'most', whole);
  if (mostPerContainer === undefined || most === undefined)
    return {
      error:
        '--maximum-dead-containers-per-container, --maximum-dead-containers: write a whole number; -1 means any number',
    };
  return { minAgeMs, mostPerContainer, most };
};
