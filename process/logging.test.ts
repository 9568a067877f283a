import { expect, test } from '@jest/globals';
import type { Logger as TemporalLogger } from '@temporalio/worker';
import { pino } from 'pino';
import { dropUnwanted, temporalLogger } from './logging.ts';

function heard(level: string): string[] {
  const lines: string[] = [];
  const hear = (name: string) => (message: string) => void lines.push(`${name} ${message}`);
  const sdkLogger: TemporalLogger = {
    log: (name, message) => void lines.push(`log ${name} ${message}`),
    trace: hear('trace'),
    debug: hear('debug'),
    info: hear('info'),
    warn: hear('warn'),
    error: hear('error'),
  };
  dropUnwanted(sdkLogger, pino({ level }));
  sdkLogger.trace('a');
  sdkLogger.debug('b');
  sdkLogger.info('c');
  sdkLogger.log('DEBUG', 'd');
  sdkLogger.log('ERROR', 'e');
  return lines;
}

test('of the SDK’s own logger, what nobody wants is dropped before it is kept', () => {
  expect(heard('info')).toEqual(['info c', 'log ERROR e']);
  expect(heard('debug')).toEqual(['debug b', 'info c', 'log DEBUG d', 'log ERROR e']);
  expect(heard('trace')).toEqual(['trace a', 'debug b', 'info c', 'log DEBUG d', 'log ERROR e']);
});

test('a line of the SDK has the object, the workflow id and the run id under our names', () => {
  const lines: string[] = [];
  const log = pino({ level: 'info', base: {} }, { write: (line: string) => void lines.push(line) });
  const workflowId = 'machine/default/m-1/uid-1';
  temporalLogger(log).warn('trouble', { workflowId, workflowRunId: 'run-1', taskToken: 'long' });
  temporalLogger(log).debug('unwanted', { workflowId });
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ workflowId, runId: 'run-1', msg: 'trouble', object: expect.anything() }),
  ]);
  expect(lines.join()).not.toContain('long');
});
