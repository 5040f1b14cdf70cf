package io.korvet.tiering.iceberg;

import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.Type;

/** What Parquet asks for where records are assembled; columns are read one by one here, so nothing is converted. */
final class NoConverter extends GroupConverter {

    private static final PrimitiveConverter NOTHING = new PrimitiveConverter() {};

    private final GroupType type;

    NoConverter(GroupType type) {
        this.type = type;
    }

    @Override
    public Converter getConverter(int fieldIndex) {
        Type child = type.getType(fieldIndex);
        return child.isPrimitive() ? NOTHING : new NoConverter(child.asGroupType());
    }

    @Override
    public void start() {}

    @Override
    public void end() {}
}
