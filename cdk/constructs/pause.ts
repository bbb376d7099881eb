/** Pauses a stack: nothing starts a function any more. All is decided here, so that no construct has to know about it. */
import { Aspects, type IAspect, type Stack } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnEventSourceMapping, CfnFunction, CfnUrl } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

/** The function of a URL, which CDK makes below it. */
const functionOf = (url: CfnUrl): CfnFunction => {
  const found = url.node.scopes.flatMap(({ node: { defaultChild } }) => defaultChild ?? []);
  const owner = found.find((child) => child instanceof CfnFunction);
  if (!owner) throw new Error(`${url.node.path} belongs to no function`);
  return owner;
};

class Pause implements IAspect {
  visit(node: IConstruct): void {
    if (node instanceof CfnEventSourceMapping) node.enabled = false;
    if (node instanceof CfnRule) node.state = 'DISABLED';
    // A function without concurrency answers 429; it and its URL stay.
    if (node instanceof CfnUrl) functionOf(node).reservedConcurrentExecutions = 0;
  }
}

/** Disables event sources and rules, and takes all concurrency from functions that have a URL. */
export const pause = (stack: Stack): void => Aspects.of(stack).add(new Pause());
