import { RemovalPolicy } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';

export interface SigningKeyProps {
  readonly removalPolicy: 'retain' | 'destroy';
}

/** 64 letters and digits: 380 bits, more than HS256 can use. */
const SECRET_LENGTH = 64;

/** The key that signs the cluster's tokens, generated with the stack and never seen by it. */
export class SigningKey extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string, { removalPolicy }: SigningKeyProps) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: 'Signs the tokens of a Rollcall cluster',
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ kid: 'k1' }),
        generateStringKey: 'secret',
        passwordLength: SECRET_LENGTH,
        excludePunctuation: true,
      },
      removalPolicy: removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    acknowledge(
      this.secret,
      'AwsSolutions-SMG4',
      'replaced by hand with an overlap of both keys, as tokens live up to 30 days',
    );
  }
}
