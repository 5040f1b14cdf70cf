package io.korvet.server.handler;

import io.korvet.server.topics.TopicSetting;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;

/** How settings look on the wire, shared by the handlers that show them. */
final class ConfigShapes {

    private ConfigShapes() {}

    /** Where a topic's value comes from. */
    static byte sourceOf(TopicSetting setting, Map<String, String> config) {
        return (config.containsKey(setting.name()) ? ConfigSource.TOPIC_CONFIG : ConfigSource.DEFAULT_CONFIG).id();
    }

    /** The wire's number of a type. */
    static byte typeOf(ConfigDef.Type type) {
        return (switch (type) {
                    case BOOLEAN -> ConfigType.BOOLEAN;
                    case STRING -> ConfigType.STRING;
                    case INT -> ConfigType.INT;
                    case SHORT -> ConfigType.SHORT;
                    case LONG -> ConfigType.LONG;
                    case DOUBLE -> ConfigType.DOUBLE;
                    case LIST -> ConfigType.LIST;
                    case CLASS -> ConfigType.CLASS;
                    case PASSWORD -> ConfigType.PASSWORD;
                })
                .id();
    }
}
