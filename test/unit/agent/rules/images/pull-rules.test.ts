import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  type ImageBackOff,
  remembered,
  waitOf,
} from '../../../../../agent/rules/images/image-back-off.ts';
import { pullDecision } from '../../../../../agent/rules/images/pull-policy.ts';
import { afterPull, type PullBudget } from '../../../../../agent/rules/images/pull-rate.ts';
import { missingSecrets, pulled, pullFault } from '../../../../../agent/rules/images/pull-texts.ts';

describe('J-173: the policy and what is there decide whether an image is pulled', () => {
  it.each([
    ['Always', true, 'pull'],
    ['Always', false, 'pull'],
    ['IfNotPresent', true, 'present'],
    ['IfNotPresent', false, 'pull'],
    ['Never', true, 'present'],
    ['Never', false, 'missing'],
  ])('%s, present: %s', (policy, isPresent, expected) => {
    expect(pullDecision(policy, isPresent)).toBe(expected);
  });
});

describe('J-174: back-off of an image', () => {
  it('doubles from 10 s to 5 min, and begins anew after 10 min without a failure', () => {
    let backOff: ImageBackOff | undefined;
    let now = 0;
    const waits: number[] = [];
    for (let failure = 0; failure < 7; failure += 1) {
      backOff = afterFailure(backOff, now, 'x');
      waits.push(waitOf(backOff, now) / 1000);
      now += waitOf(backOff, now);
      expect(waitOf(backOff, now)).toBe(0);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300]);
    const failedAt = backOff?.failedAt ?? 0;
    expect(afterFailure(backOff, failedAt + 600_000, 'x').waitMs).toBe(300_000);
    expect(afterFailure(backOff, failedAt + 600_001, 'x').waitMs).toBe(10_000);
  });

  it('is forgotten with time', () => {
    const all = new Map([
      ['old', afterFailure(undefined, 0, 'x')],
      ['new', afterFailure(undefined, 10, 'x')],
    ]);
    expect([...remembered(all, 600_005).keys()]).toEqual(['new']);
  });
});

describe('J-175: at most registryBurst pulls begin at once, and registryPullQPS a second', () => {
  const begun = (rate: { perSecond: number; burst: number }, at: readonly number[]): readonly boolean[] => {
    let budget: PullBudget | undefined;
    return at.map((now) => {
      const next = afterPull(rate, budget, now);
      budget = next ?? budget;
      return next !== undefined;
    });
  };

  it.each([
    ['a burst, then none', { perSecond: 5, burst: 2 }, [0, 0, 0, 100], [true, true, false, false]],
    ['one more in time', { perSecond: 5, burst: 2 }, [0, 0, 200, 200], [true, true, true, false]],
    [
      'never more than the burst',
      { perSecond: 5, burst: 2 },
      [0, 0, 9000, 9000, 9000],
      [true, true, true, true, false],
    ],
    ['no limit', { perSecond: 0, burst: 0 }, [0, 0, 0], [true, true, true]],
  ])('%s', (_name, rate, at, expected) => {
    expect(begun(rate, at)).toEqual(expected);
  });
});

describe('J-174: what is told about a pull', () => {
  it.each([
    ['rpc error: code = NotFound desc = x', 'ErrImagePull', 'rpc error: code = NotFound desc = x'],
    [
      'RegistryUnavailable',
      'RegistryUnavailable',
      'image pull failed for app because the registry is unavailable',
    ],
    [
      'RegistryUnavailable: it is on fire',
      'RegistryUnavailable',
      'image pull failed for app because the registry is unavailable: it is on fire',
    ],
    [
      'SignatureValidationFailed: no',
      'SignatureValidationFailed',
      'image pull failed for app because the signature validation failed: no',
    ],
  ])('the error %s', (error, reason, message) => {
    expect(pullFault('app', error)).toEqual({
      fault: { reason, message },
      event: { type: 'Warning', reason: 'Failed', message: `Failed to pull image "app": ${error}` },
    });
  });

  it('times and size', () => {
    expect(pulled('app:v1', { pullMs: 1234.9, totalMs: 61_000, size: 4096 }).message).toBe(
      'Successfully pulled image "app:v1" in 1.234s (1m1s including waiting). Image size: 4096 bytes.',
    );
  });

  it('Secrets that are not there', () => {
    expect(missingSecrets([])).toBeUndefined();
    expect(missingSecrets(['a', 'b'])).toEqual({
      type: 'Warning',
      reason: 'FailedToRetrieveImagePullSecret',
      message:
        'Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed.',
    });
  });
});
