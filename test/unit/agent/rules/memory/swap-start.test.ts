import { expect, test } from 'vitest';
import { type SwapStart, swapStartFault } from '../../../../../agent/rules/memory/swap-start.ts';

const ON = 'Filename\tType\tSize\tUsed\tPriority\n/dev/sda2 partition 1 0 -2\n';
const OFF = 'Filename\tType\tSize\tUsed\tPriority\n';
const IS_ON =
  'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false';
const V1 = 'swap feature is enabled and LimitedSwap but it is only supported with cgroupv2';

test.each<readonly [string, SwapStart, string | undefined]>([
  ['swap is on, and must not', { procSwaps: ON, failSwapOn: true, behavior: '', cgroups: 'v2' }, IS_ON],
  ['swap is on, and may be', { procSwaps: ON, failSwapOn: false, behavior: '', cgroups: 'v2' }, undefined],
  ['swap is off', { procSwaps: OFF, failSwapOn: true, behavior: '', cgroups: 'v1' }, undefined],
  ['the machine knows no swap', { failSwapOn: true, behavior: 'NoSwap', cgroups: 'v1' }, undefined],
  [
    'limited swap, version 1',
    { procSwaps: OFF, failSwapOn: true, behavior: 'LimitedSwap', cgroups: 'v1' },
    V1,
  ],
  ['limited swap', { procSwaps: ON, failSwapOn: false, behavior: 'LimitedSwap', cgroups: 'v2' }, undefined],
])('%s', (_, given, fault) => {
  expect(swapStartFault(given)).toBe(fault);
});
