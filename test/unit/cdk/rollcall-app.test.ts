import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { addStack, bundles, missingAccess, readContext } from '../../../cdk/stacks/rollcall-app.ts';

const ACCOUNT = { CDK_DEFAULT_ACCOUNT: '111122223333' };
const REGION = { CDK_DEFAULT_REGION: 'eu-west-1' };

describe('what a deploy lacks', () => {
  it.each([
    [{ ...ACCOUNT, ...REGION }, []],
    [REGION, [/credentials.*AWS_PROFILE/]],
    [ACCOUNT, [/region.*AWS_REGION/]],
    [{}, [/credentials/, /region/]],
  ])('%j', (environment, lines) => {
    const found = missingAccess(environment);
    expect(found).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) expect(found[index]).toMatch(line);
  });
});

describe('a stack', () => {
  it.each([
    [{}, true],
    [{ removalPolicy: 'destroy' }, false],
  ])('with %j is protected against its end: %s', (settings, isProtected) => {
    const context = { ...settings, 'aws:cdk:bundling-stacks': [] };
    expect(addStack(readContext({ context })).terminationProtection).toBe(isProtected);
  });
});

describe('a command line', () => {
  it.each([
    [undefined, true],
    [['**'], true],
    // `cdk destroy`
    [[], false],
  ])('with the bundling stacks %j bundles: %s', (stacks, expected) => {
    const context = stacks === undefined ? {} : { 'aws:cdk:bundling-stacks': stacks };
    expect(bundles(new App({ context }))).toBe(expected);
  });
});
