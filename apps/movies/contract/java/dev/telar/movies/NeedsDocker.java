package dev.telar.movies;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;

/**
 * Decides before the app and its database are started; without Docker it says aloud what is
 * missing.
 */
class NeedsDocker implements ExecutionCondition {

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (DockerClientFactory.instance().isDockerAvailable()) {
            return ConditionEvaluationResult.enabled("Docker runs");
        }
        System.err.println("SKIPPED: " + context.getDisplayName() + " tested NOTHING: no Docker");
        return ConditionEvaluationResult.disabled("no Docker");
    }
}
