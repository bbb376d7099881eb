import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { optional } from '../../kube/values/optional.ts';
import type { MachineTime } from '../../ports/process/clock.ts';

const LINUX_BOOT_ID = '/proc/sys/kernel/random/boot_id';

const readBootId = (): string | undefined => {
  try {
    return readFileSync(LINUX_BOOT_ID, 'utf8').trim();
  } catch {
    return undefined;
  }
};

let bootId: string | undefined;

/** The time since the machine started, which setting its clock does not change. */
export const machineTime = (): MachineTime => {
  bootId ??= readBootId();
  return { uptimeMs: Math.round(uptime() * 1000), ...optional('bootId', bootId) };
};
