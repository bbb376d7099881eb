import { expect, it } from 'vitest';
import { formattedWithoutArguments } from '../../../../../agent/rules/admission/rejected-pod.ts';

it.each([
  ['no verb', 'no verb'],
  ['100% full %d', '100%!f(MISSING)ull %!d(MISSING)'],
  ['90%%', '90%'],
  ['90%', '90%!(NOVERB)'],
  ['%-08.3fx', '%!f(MISSING)x'],
  ['%*d', '%!(BADWIDTH)%!d(MISSING)'],
  ['%.*d', '%!(BADPREC)%!d(MISSING)'],
  ['%[1]d', '%!d(BADINDEX)'],
  ['%é', '%!é(MISSING)'],
])('formats %j as Go does without arguments', (text, formatted) => {
  expect(formattedWithoutArguments(text)).toBe(formatted);
});
