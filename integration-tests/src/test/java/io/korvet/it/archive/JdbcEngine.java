package io.korvet.it.archive;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** A query engine by its JDBC driver; all values as text. */
public final class JdbcEngine implements AutoCloseable {
    private final Connection connection;

    private JdbcEngine(Connection connection) {
        this.connection = connection;
    }

    /** Connects. */
    public static JdbcEngine connect(Driver driver, String url, Properties properties) {
        try {
            Connection connection = driver.connect(url, properties);
            if (connection == null) {
                throw new AssertionError(driver + " doesn't know " + url);
            }
            return new JdbcEngine(connection);
        } catch (SQLException e) {
            throw new AssertionError(url, e);
        }
    }

    /** The rows of a query, none for a statement without. */
    public List<List<String>> rows(String sql) {
        List<List<String>> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return rows;
            }
            ResultSet result = statement.getResultSet();
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int column = 1; column <= columns; column++) {
                    row.add(String.valueOf(result.getString(column)));
                }
                rows.add(row);
            }
            return rows;
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
