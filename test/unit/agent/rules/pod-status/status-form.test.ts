import { describe, expect, it } from 'vitest';
import { statusForm } from '../../../../../agent/rules/pod-status/status-form.ts';

const SPEC = { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'z' }, { name: 'y' }] };

const ended = (name: string, message: string) => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode: 1, message } },
});

describe('statusForm', () => {
  it('divides 12 KiB of messages among the containers', () => {
    const { containerStatuses } = statusForm(SPEC, { containerStatuses: [ended('a', 'x'.repeat(4000))] });
    expect(containerStatuses?.[0]?.state?.terminated?.message).toHaveLength(3072);
  });

  it('orders main containers by name and init containers as they run', () => {
    const form = statusForm(SPEC, {
      containerStatuses: [ended('b', ''), ended('a', '')],
      initContainerStatuses: [ended('y', ''), ended('z', '')],
    });
    expect(form.containerStatuses?.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(form.initContainerStatuses?.map(({ name }) => name)).toEqual(['z', 'y']);
  });

  it('is the same for a status that is already in it', () => {
    const form = statusForm(SPEC, { phase: 'Running', containerStatuses: [ended('a', 'm')] });
    expect(statusForm(SPEC, form)).toEqual(form);
  });
});
