import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
  TimeoutFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { given } from '../../../providers/given.ts';
import { Alarm } from '../../../workflows/alarm.ts';
import { FOREIGN_CLUSTER } from '../../../workflows/failure-types.ts';
import { MACHINE_PHASE, MACHINE_REASON } from '../../../workflows/search-attributes.ts';
import { changedSignal } from '../../../workflows/signals.ts';
import type { Limits, ScriptInput, Step } from './program.ts';
import type { ScriptActivities } from './script-activities.ts';

type Activities = ScriptActivities['functions'];

const otherSignal = defineSignal<[string]>('other');
const { isFirst } = proxyLocalActivities<Activities>({ startToCloseTimeout: '10s' });

/** Does what its script says, by the means that the product's workflows have; answers what it saw of it. */
export async function script({ program, steps }: ScriptInput): Promise<readonly string[]> {
  const saw: string[] = [];
  const alarm = new Alarm();
  let signals = 0;
  setHandler(changedSignal, () => {
    signals += 1;
    saw.push('signal');
  });
  setHandler(otherSignal, (text) => {
    signals += 1;
    saw.push(`other signal ${text}`);
  });
  saw.push(describeInfo());
  for (const [index, step] of steps.entries()) {
    const before = signals;
    switch (step.do) {
      case 'sleep':
        await sleep(step.ms, { summary: 'a rest' });
        break;
      case 'await':
        await condition(() => signals >= before + step.signals);
        break;
      case 'alarm':
        alarm.set(Date.now() + step.ms, 'the script says so');
        alarm.arm();
        await condition(() => signals > before || alarm.hasRung);
        break;
      case 'arm':
        alarm.set(Date.now() + step.ms, 'the script says so');
        alarm.arm();
        break;
      case 'disarm':
        alarm.set(undefined, '');
        alarm.arm();
        break;
      case 'local':
      case 'activity':
        saw.push(await outcomeOf(program, step));
        break;
      case 'upsert':
        upsertSearchAttributes([
          { key: MACHINE_PHASE, value: step.phase },
          { key: MACHINE_REASON, value: step.reason },
        ]);
        break;
      case 'stumble':
        // As a step that a worker of another cluster was given.
        if (await isFirst(`${program} ${step.key}`)) throw new Error('it stumbles');
        break;
      case 'continue':
        return await continueAsNew<typeof script>({ program, steps: steps.slice(index + 1) });
      case 'fail':
        throw ApplicationFailure.create({ message: saw.join('; '), type: step.type, nonRetryable: step.isFinal });
    }
    saw.push(`${step.do}: ${workflowInfo().historyLength} events, alarm ${alarm.hasRung}`);
  }
  return saw;
}

async function outcomeOf(program: string, step: Extract<Step, { do: 'local' | 'activity' }>): Promise<string> {
  const { limits, course } = step;
  const options = {
    summary: `${course.failing} fail`,
    startToCloseTimeout: limits.startToCloseMs,
    ...given({ scheduleToCloseTimeout: limits.scheduleToCloseMs }),
    retry: {
      initialInterval: limits.initialMs,
      backoffCoefficient: 2,
      maximumInterval: limits.mostMs,
      ...given({ maximumAttempts: limits.attempts }),
      nonRetryableErrorTypes: [FOREIGN_CLUSTER],
    },
  };
  const { follow } =
    step.do === 'local'
      ? proxyLocalActivities<Activities>({ ...options, ...given({ localRetryThreshold: limits.thresholdMs }) })
      : proxyActivities<Activities>({ ...options, ...timeouts(limits) });
  try {
    return await follow({ program, ...course });
  } catch (error) {
    return describeError(error);
  }
}

function timeouts({ heartbeatMs, scheduleToStartMs, isForNobody }: Limits) {
  return given({
    heartbeatTimeout: heartbeatMs,
    scheduleToStartTimeout: scheduleToStartMs,
    taskQueue: isForNobody && 'nobody',
  });
}

/** As far as workflows ask. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, cause } = error;
  const own = [
    error instanceof ApplicationFailure && `type ${error.type}, final ${error.nonRetryable}`,
    error instanceof ActivityFailure && `${error.activityType} ${error.activityId} ${error.retryState}`,
    error instanceof TimeoutFailure && error.timeoutType,
    cause !== undefined && `because of ${describeError(cause)}`,
  ];
  return [`${name} (${message})`, ...own.filter((part) => part !== false)].join(', ');
}

function describeInfo(): string {
  const {
    runId,
    firstExecutionRunId,
    continuedFromExecutionRunId,
    typedSearchAttributes,
    attempt,
    continueAsNewSuggested,
  } = workflowInfo();
  const attributes = JSON.stringify(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
  return `run ${runId} of ${firstExecutionRunId} after ${continuedFromExecutionRunId}: ${attributes}, attempt ${attempt}, ${continueAsNewSuggested}`;
}
