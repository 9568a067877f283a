import { expect, it } from '@jest/globals';
import { MotoInMemory } from '../../../devstack/doubles/cloud/ec2-front/moto-in-memory.ts';
import { compare } from './compare.ts';
import { ec2Subject, simulatedSubject } from './subject.ts';

const PLAYS = Number(process.env['MILLWRIGHT_CONFORMANCE_PLAYS'] ?? 60);

const newId = (n: number): string => `i-${n.toString(16).padStart(17, '0')}`;

it('the simulated cloud and the EC2 of the simulation show the same', async () => {
  for (let n = 1; n <= PLAYS; n += 1) {
    const difference = await compare(`memory-${n}`, () => [
      simulatedSubject(),
      ec2Subject((clock) => new MotoInMemory(clock, newId)),
    ]);
    expect(difference).toBeUndefined();
  }
}, 600_000);

it('a difference is told as the shortest sequence that shows it', async () => {
  const limited = () => {
    const subject = simulatedSubject();
    for (const type of Object.values(subject.words.type)) subject.engine.setBehaviour(type, { capacity: 0 });
    return subject;
  };
  const difference = await compare('planted-1', () => [simulatedSubject(), limited()]);
  expect(difference?.split('\n').filter((line) => line.includes('"do"'))).toEqual([
    expect.stringMatching(/^! \{"do":"launch"/),
  ]);
});
